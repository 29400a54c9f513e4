"""Curves over a logarithmic axis as an SVG that can be read on light and on dark ground."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 48, 72
STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    .grid { stroke: #d1d9e0 }
    .curve { fill: none; stroke-width: 2.5 }
    .c0 { stroke: #0969da; fill: #0969da } .c1 { stroke: #bc4c00; fill: #bc4c00 } .c2 { stroke: #1a7f37; fill: #1a7f37 }
    polyline.curve { fill: none }
    @media (prefers-color-scheme: dark) {
        text { fill: #f0f6fc }
        .grid { stroke: #3d444d }
        .c0 { stroke: #4493f8; fill: #4493f8 } .c1 { stroke: #f0883e; fill: #f0883e } .c2 { stroke: #3fb950; fill: #3fb950 }
        polyline.curve { fill: none }
    }
"""
# Told apart without colors, too.
DASHES = ("none", "9 4", "2 4")


def round_step(largest, steps=5):
    """The least of 1, 2, 5, 10, … that needs no more than so many steps."""
    power = 10 ** math.floor(math.log10(largest / steps))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * steps >= largest)


def svg(title, curves):
    """`curves` is {name: [(x, y), …]}; x is drawn by its logarithm, y from zero."""
    xs = sorted({x for points in curves.values() for x, _ in points})
    step = round_step(max(y for points in curves.values() for _, y in points))
    top = step * math.ceil(max(y for points in curves.values() for _, y in points) / step)
    widest = math.log(xs[-1] / xs[0]) or 1

    def place(x, y):
        return (LEFT + math.log(x / xs[0]) / widest * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM))

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (WIDTH, HEIGHT),
             "<title>%s</title>" % escape(title), "<style>%s</style>" % STYLE, '<text class="title" x="%d" y="26">%s</text>' % (LEFT, escape(title))]
    for number in range(round(top / step) + 1):
        _, y = place(xs[0], number * step)
        parts.append('<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>' % (LEFT, WIDTH - RIGHT, y, y))
        parts.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (LEFT - 8, y + 4, number * step))
    for x in xs:
        parts.append('<text x="%.1f" y="%d" text-anchor="%s">%s</text>' % (
            place(x, 0)[0], HEIGHT - BOTTOM + 20, "end" if x == xs[-1] else "middle", "{:,}".format(x)))
    for number, (name, points) in enumerate(curves.items()):
        places = [place(x, y) for x, y in points]
        parts.append('<polyline class="curve c%d" stroke-dasharray="%s" points="%s"/>' % (
            number % 3, DASHES[number % 3], " ".join("%.1f,%.1f" % at for at in places)))
        parts += ['<circle class="c%d" r="3.5" cx="%.1f" cy="%.1f"/>' % (number % 3, *at) for at in places]
        x, y = LEFT + number * (WIDTH - LEFT - RIGHT) / len(curves), HEIGHT - 20
        parts.append('<line class="curve c%d" stroke-dasharray="%s" x1="%d" x2="%d" y1="%d" y2="%d"/>' % (
            number % 3, DASHES[number % 3], x, x + 28, y - 4, y - 4))
        parts.append('<text x="%d" y="%d">%s</text>' % (x + 36, y, escape(name)))
    return "\n".join(parts) + "\n</svg>\n"


def write(path, title, curves):
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg(title, curves))
