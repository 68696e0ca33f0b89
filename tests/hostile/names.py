"""Names that somebody else chose: of systems, runs, test sets, metrics, files, annotators."""

from itertools import product

DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    "conin$",
    "conout$",
    *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10)),
)
_ESCAPES = (
    "/../../../escaped/x", "../x", "../../x", "..", ".", "...", "/", "//", "/etc/passwd", "\\\\server\\share\\x",
    "~", "~/x", "C:\\x", "C:x", "c:/x", "..\\..\\x", "a/../../x", "a/./b", "./x", "x/", "x/..", "x\\", "\\",
    "a\\..\\..\\b", "file:///etc/passwd", "%2e%2e%2fx", "..%2fx", "．．/x", "．．／x", "／etc／passwd", "‥/x", "․․/x",
    "..;/x", "....//x", ".../x", "a/b/c/d", "a//b", "/dev/null", "-", "--to=/x", "-rf", "$HOME/x", "`x`", "$(x)", "x;y",
    "x|y", "x&y", "x:stream", "x::$DATA", "x?", "x*", "<x>", '"x"', "x'y", "PROGRA~1",
)  # fmt: skip
_OURS = (
    "manifest.json", "MANIFEST.JSON", "experiment.toml", "Experiment.toml", "report.html", "inputs", "inputs/x",
    "scores", "scores/x.csv", "figures", "figures/x.svg", "people", "numbers.xlsx", "table.csv", "files", "systems",
)  # fmt: skip
_IGNORED_BY_READERS = (
    "__MACOSX", "__MACOSX/x", ".DS_Store", "x.DS_Store", "Thumbs.db", "thumbs.db", "desktop.ini", "._x", ".hidden",
    ".hidden/x", "__pycache__", "__pycache__/x", "x.wandb",
)  # fmt: skip
_UNPRINTED = "\0\1\a\b\t\n\v\f\r\x1b\x7f\x80\x85\x9b\u2028\u2029\u202e\u2066\ufeff\u200b"
_CONTROLS = (
    *(f"x{character}y" for character in _UNPRINTED),
    *("x\r=1+1", "x\n=1+1", "\r", "\n", "\t", " ", "\x1b[31mx\x1b[0m", "x\r\ny", "\x85=1", "\u2028=1", "\0=1", "\v=1"),
)
_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", " =", "\t=", "'=", "''=", "'", "|", "%")
_FORMULAS = (
    *(f"{start}{rest}" for start, rest in product(_STARTS, ("1+1", "SUM(A1)", "cmd|'/c calc'!A0"))),
    *('=HYPERLINK("http://evil.example")', "-5", "+5", "-1e3", "-inf", "'-5", "=", "-", "1_0", "-1_0"),
)
_ESCAPED = ("⟨U+000A⟩", "⟨U+27E8⟩", "⟨U+000A", "⟨", "_x000D_=1", "_x005F_", "&#10;", "\\n", "%0a", "\\x0d")
_TWINS = (
    "system", "System", "SYSTEM", "system.", "system ", " system", "\xe9", "e\u0301", "\xc9", "E\u0301", "\ufb01", "fi",
    "FI", "\u017f", "s", "\u212a", "K", "k", "\u212b", "\xc5", "A\u030a", "straße", "STRASSE", "strasse", "\u0130",
    "i\u0307", "\u0131", "I", "\uff41", "a", "\uff21", "\u2460", "1", "a\u200d", "a\ufe0f", "a\u00ad", "\uff8a\uff9f",
    "\u30d1", "\u2126", "\u03a9", "\u03c2", "\u03c3", "\u03a3", "\uac00", "\u1100\u1161",
)  # fmt: skip
_LONG = (
    "x" * 199, "x" * 200, "é" * 100, "é" * 150, "字" * 66 + "x", "字" * 90, "😀" * 60, "a/" * 90 + "x", "." * 150,
    " " * 150 + "x",
)  # fmt: skip
_QUOTING = (
    '"', '""', 'a"b', '"a""b"', "a,b", "a;b", ",", ";=1+1", "a\\b", "{x}", "[x]", "<b>x</b>", "${x}", "\\input{x}",
    "%s", "x#y", "x%y", "x&amp;y", "None", "nan", "null", "true", "0", "1e999", "x" + "\u0301" * 40,
    "\u202e gpj.exe", "🏴\U000e0067\U000e0062\U000e007f", "x\uffff", "x\ufffe", "\ue000", "\U0010ffff", "x\u0378",
    "\ufdd0", "x\ufdef", "\U0001fffe", "x\U0001ffff", "\U000efffe", "⟨U+1FFFE⟩", "⟨U+10FFFF⟩", "⟨U+110000⟩",
    "⟨U+0000A⟩", "⟨U+202E⟩", "x\u202ay", "\u202bx", "x\u202c", "x\u202d", "\u2067x", "\u2068x", "x\u2069",
)  # fmt: skip
_DEVICE_NAMES = (
    *(f"{device}{end}" for device in DEVICES for end in ("", ".txt")),
    *("COM¹", "com².txt", "LPT³", "CON .txt", "con.", "con ", "ＣＯＮ", "nul.tar.gz", "CLOCK$", "Aux.", "conin$.x"),
)
HOSTILE_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *_ESCAPES, *_OURS, *_IGNORED_BY_READERS, *_CONTROLS, *_FORMULAS, *_ESCAPED, *_TWINS, *_LONG, *_QUOTING,
            *_DEVICE_NAMES,
        )
    )
)  # fmt: skip
