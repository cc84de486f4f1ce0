"""Judges aider's own edit code by the corpus that `cargo bench -p agent --bench edits -- --dump FILE` writes.

Needs aider-chat 0.86.2 beside this Python, without its dependencies: parsing a reply and replacing in a text use none of
them, so the modules they come from stand empty here. As in aider, a file is read with every line ending as LF and
written so, and the blocks that match are written even when others of the same reply do not. Prints right, missed and wrong by kind of noise, and the same of Recto for the edits that both
were given.
"""

import collections
import importlib.metadata
import importlib.util
import json
import pathlib
import sys
import types


def aider():
    """aider.coders.editblock_coder, without what it does not use for edits."""
    spec = importlib.util.find_spec("aider")
    folder = pathlib.Path(next(iter(spec.submodule_search_locations)))
    for name in ["aider", "aider.coders"]:
        module = types.ModuleType(name)
        module.__path__ = [str(folder / name.partition(".")[2])]
        sys.modules[name] = module
    stand_ins = {
        "aider.utils": {"split_chat_history_markdown": None},
        "aider.dump": {"dump": print},
        "aider.diffs": {},
        "aider.coders.base_coder": {"Coder": type("Coder", (), {})},
        "aider.coders.editblock_prompts": {"EditBlockPrompts": type("EditBlockPrompts", (), {})},
    }
    for name, values in stand_ins.items():
        module = types.ModuleType(name)
        module.__dict__.update(values)
        sys.modules[name] = module
    path = folder / "coders" / "editblock_coder.py"
    spec = importlib.util.spec_from_file_location("aider.coders.editblock_coder", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def outcome(module, case):
    """What aider would write; None for nothing."""
    reply, path = case["aider"], case["path"]
    before = text = case["before"].replace("\r\n", "\n")
    fence = ("````", "````") if "````" in reply else ("```", "```")
    try:
        edits = list(module.find_original_update_blocks(reply, fence, [path]))
    except ValueError:
        return None
    for edit in edits:
        if len(edit) != 3:
            continue
        _, search, replace = edit
        try:
            new = module.do_replace(path, text, search, replace, fence)
        except Exception:
            new = None
        if new:
            text = new
    return None if text == before else text


def judge(truth, out):
    if truth is None:
        return "Right" if out is None else "Wrong"
    return "Missed" if out is None else "Right" if out == truth else "Wrong"


def main():
    module = aider()
    print("aider-chat", importlib.metadata.version("aider-chat"))
    theirs, ours = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
        case = json.loads(line)
        if case["aider"] is None:
            continue
        theirs[case["noise"]][judge(case["truth"], outcome(module, case))] += 1
        ours[case["noise"]][case["verdict"]] += 1
    kinds = ["Right", "Missed", "Wrong"]
    print(f"{'noise':<22} {'aider':>20} {'recto':>20}")
    for noise in theirs:
        row = lambda table: " ".join(f"{table[noise][kind]:>6}" for kind in kinds)
        print(f"{noise:<22} {row(theirs)} {row(ours)}")
    for name, table in [("aider", theirs), ("recto", ours)]:
        total = sum(sum(row.values()) for row in table.values())
        shares = [100 * sum(row[kind] for row in table.values()) / total for kind in kinds]
        print(f"{name}: {total} edits, {shares[0]:.2f} % right, {shares[1]:.2f} % missed, {shares[2]:.2f} % wrong")


if __name__ == "__main__":
    main()
