"""Make the two small fonts in adviz/stage/fonts, and the table of their advance widths, from DejaVu.

    python widgets/make_fonts.py /usr/share/fonts/truetype/dejavu

Needed only when the characters below change; the results are kept under version control.
The fonts are renamed so that a complete DejaVu on the user's system is never mistaken for them.
"""

import json
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FOLDER = Path(__file__).parents[1] / "adviz" / "stage" / "fonts"
FONTS = {"sans": ("DejaVuSans.ttf", "Adviz Sans"), "mono": ("DejaVuSansMono.ttf", "Adviz Mono")}

CHARACTERS = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x17F),  # Latin-1, Latin Extended-A
    (0x2B0, 0x2B8),  # raised letters
    (0x300, 0x308),  # combining accents: v̇, v̄, v̂
    (0x391, 0x3C9),  # Greek
    (0x3D1, 0x3D6),
    (0x400, 0x45F),  # Cyrillic
    (0x1D2C, 0x1D48),  # raised letters: Wᵀ
    (0x1D62, 0x1D6A),  # lowered letters
    (0x2010, 0x2027),  # dashes, quotes, …
    (0x2030, 0x203A),  # ‰ ′ ″ ‹ ›
    (0x2070, 0x209C),  # raised and lowered figures
    (0x2102, 0x2102),
    (0x2115, 0x211D),  # ℕ … ℝ
    (0x2124, 0x2124),
    (0x2190, 0x2199),  # arrows
    (0x21A6, 0x21A6),  # ↦
    (0x21BA, 0x21BB),  # ↺ ↻
    (0x21D0, 0x21D4),  # ⇒
    (0x2200, 0x226B),  # mathematical operators: ∂ ∇ ∈ ∑ √ ∞ ≈ ≤ ≫
    (0x2295, 0x2299),  # ⊕ ⊖ ⊗ ⊘ ⊙
    (0x22A4, 0x22A5),  # ⊤ ⊥
    (0x22C0, 0x22C6),  # ⋅ ⋆
    (0x22EE, 0x22F1),  # ⋮ ⋯ ⋱
    (0x2308, 0x230B),  # ⌈ ⌉ ⌊ ⌋
    (0x25A0, 0x25A1),  # ■ □
    (0x25B2, 0x25C0),  # ▲ ▶ ▼ ◀
    (0x25CB, 0x25CF),  # ○ ●
    (0x2713, 0x2717),  # ✓ ✗
    (0x27E8, 0x27E9),  # ⟨ ⟩
    (0xFFFD, 0xFFFD),  # what cannot be shown
]


def subset(source: Path, family: str) -> TTFont:
    """Return the font at `source` cut down to `CHARACTERS`, named `family`."""
    font = TTFont(source)
    options = Options()
    options.hinting = False
    options.layout_features = []  # not every renderer knows them; see `lay_accents_back`
    options.name_IDs = [0, 1, 2, 4, 6]
    options.glyph_names = False
    options.drop_tables += ["FFTM", "MATH", "kern"]
    options.recalc_timestamp = False
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in CHARACTERS for code in range(low, high + 1)])
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            record.string = family.replace(" ", "") if record.nameID == 6 else family
    lay_accents_back(font)
    return font


def lay_accents_back(font: TTFont) -> None:
    """Let each combining accent take no room and stand over the character before it: in the mono font it has a cell."""
    accents = {glyph for code, glyph in font.getBestCmap().items() if unicodedata.combining(chr(code))}
    for glyph in accents:
        advance, bearing = font["hmtx"][glyph]
        outline = font["glyf"][glyph]
        if outline.isComposite():
            for part in outline.components:
                part.x -= 0 if part.glyphName in accents else advance
        else:
            outline.coordinates.translate((-advance, 0))
        font["hmtx"][glyph] = (0, bearing - advance)


def advances(font: TTFont) -> dict[str, str]:
    """Return {advance in thousandths of the font size: the characters that have it}."""
    units = font["head"].unitsPerEm
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for code, glyph in sorted(font.getBestCmap().items()):
        groups[round(1000 * font["hmtx"][glyph][0] / units)].append(chr(code))
    return {str(advance): "".join(characters) for advance, characters in sorted(groups.items())}


def main(folder: Path) -> None:
    """Write sans.ttf, mono.ttf and advances.json."""
    table = {}
    for name, (source, family) in FONTS.items():
        font = subset(folder / source, family)
        font.save(FOLDER / f"{name}.ttf")
        table[name] = advances(font)
    text = json.dumps(table, ensure_ascii=False, indent=1)
    (FOLDER / "advances.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
