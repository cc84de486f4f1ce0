# Marks prompts and commands for the terminal. Read after the user's profile.

$Global:__RectoNonce = $env:RECTO_NONCE
$env:RECTO_NONCE = $null
$Global:__RectoPrompt = $function:Prompt
$Global:__RectoHistory = -1

function Global:__Recto-Escape([string]$Text) {
    [regex]::Replace($Text, "[\\\x00-\x1f;]", { param($match) '\x{0:x2}' -f [int][char]$match.Value })
}

function Global:Prompt() {
    # $? first: everything else sets it.
    $succeeded = $?
    $code = if ($succeeded) { 0 } elseif ($LASTEXITCODE) { $LASTEXITCODE } else { 1 }
    $escape = [char]0x1b
    $bell = [char]0x07
    $marks = ''
    $last = Get-History -Count 1
    if ($last -and $last.Id -ne $Global:__RectoHistory) {
        $marks += "$escape]133;D;$code$bell"
        $Global:__RectoHistory = $last.Id
    }
    if ($pwd.Provider.Name -eq 'FileSystem') {
        $marks += "$escape]633;P;Cwd=$(__Recto-Escape $pwd.ProviderPath)$bell"
    }
    # The user's prompt sees the $? of the command.
    if (-not $succeeded) { Write-Error 'recto' -ErrorAction Ignore }
    $shown = & $Global:__RectoPrompt
    "$marks$escape]133;A$bell$shown$escape]133;B$bell"
}

if (Get-Module -Name PSReadLine) {
    $Global:__RectoReadLine = $function:PSConsoleHostReadLine
    function Global:PSConsoleHostReadLine {
        $line = & $Global:__RectoReadLine
        $escape = [char]0x1b
        $bell = [char]0x07
        [Console]::Write("$escape]633;E;$(__Recto-Escape $line);$Global:__RectoNonce$bell$escape]133;C$bell")
        $line
    }
}
