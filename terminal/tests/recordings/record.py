#!/usr/bin/env python3
"""Records what programs write to a terminal of 80 by 24: NAME.bytes for each session below.

Run in an empty folder that may be written to; everything is made there. The screens beside the recordings are written by
`RECTO_UPDATE=1 cargo test -p terminal --test recordings`; look at them before they are believed.
"""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

ROWS, COLUMNS = 24, 80
ENVIRONMENT = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": os.environ["PATH"], "COLORTERM": "truecolor", "PS1": "$ ",
               "TZ": "UTC", "GIT_PAGER": "less", "LESS": "-R", "HISTFILE": ""}


def record(name, command, *keys):
    """Starts `command`; whenever it has been quiet for a while, the next of `keys` is typed."""
    out = sys.argv[1] if len(sys.argv) > 1 else "."
    pid, master = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, dict(ENVIRONMENT, HOME=os.getcwd()))
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    written, keys, last = b"", list(keys), time.time()
    while True:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                more = os.read(master, 65536)
            except OSError:
                break
            if not more:
                break
            written, last = written + more, time.time()
        elif time.time() - last > 0.8:
            if not keys:
                break
            os.write(master, keys.pop(0).encode())
            last = time.time()
    os.close(master)
    with open(os.path.join(out, name + ".bytes"), "wb") as file:
        file.write(written)
    print(name, len(written))


def shell(line):
    subprocess.run(line, shell=True, check=True, env=dict(ENVIRONMENT, HOME=os.getcwd()), stdout=subprocess.DEVNULL)


shell("git config --global user.name Demo; git config --global user.email demo@example.org; git config --global init.defaultBranch main")
shell("mkdir -p hello/src; cd hello; git init -q; printf '[package]\\nname = \"hello\"\\nversion = \"0.1.0\"\\nedition = \"2024\"\\n' > Cargo.toml; "
      "printf 'fn main() {\\n    let unused = 1;\\n    println!(\"hello\");\\n}\\n' > src/main.rs; git add -A; "
      "GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' git commit -qm 'Say hello' --date 2026-01-01T00:00:00Z; git switch -qc other; "
      "echo '// 你好, wörld 🦀' >> src/main.rs; GIT_COMMITTER_DATE='2026-01-02T00:00:00Z' git commit -qam 'Say it in more words' --date 2026-01-02T00:00:00Z")

record("bash", ["bash", "--norc"], "ls -l --color=always --time-style=+ hello | sed 's/ root root//'\r", "echo 'wide: 你好 🦀 e\u0301'\r",
       "seq 30 | tail -3\r", "clear\r", "echo again\x1b[D\x1b[D\x17first \r", "exit\r")
record("zsh", ["zsh", "-f"], "PROMPT='%F{green}demo%f %# '\r", "cd hel\t", "\r", "ls\r", "echo $((6*7))\r", "exit\r")
record("fish", ["fish", "--no-config"], "echo hello | string upper\r", "for i in 1 2 3\recho $i\rend\r", "ls hel\t", "\x03", "exit\r")
record("vim", ["vim", "-u", "NONE", "--noplugin", "hello/src/main.rs"], ":syntax on\r", ":set number hlsearch\r", "/hello\r", "oadded \x1b", ":vsplit\r", "Gk")
record("tmux", ["tmux", "-L", "record", "-f", "/dev/null", "new", "bash --norc"], "echo left\r", "\x02%", "echo right\r", "\x02\"", "printf '\\033[31mred\\033[m\\n'\r")
subprocess.run(["tmux", "-L", "record", "kill-server"], check=False)
record("less", ["less", "/usr/share/common-licenses/BSD"], " ", "/DISCLAIMED\r", "G", "b")
record("htop", ["unshare", "--pid", "--fork", "--mount-proc", "htop", "-d", "100"], "t", "\x1b[B")
record("git-log", ["git", "-C", "hello", "-c", "color.ui=always", "log", "--graph", "--stat", "-p", "--all"], "j")
record("cargo-build", ["cargo", "build", "--offline", "--manifest-path", "hello/Cargo.toml"])
record("python", ["python3", "-q", "-i", "-c", "import sys; sys.ps1='>>> '"], "[n * n for n in range(40)]\r", "1 / 0\r", "print('\\x1b[1;4;38;5;208mloud\\x1b[m')\r", "exit()\r")
