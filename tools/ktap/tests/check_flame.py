#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Check a flame graph: each box is inside one of the row below it, and has its share of the
# width; boxes of a row do not overlap; nothing comes from elsewhere.
#
#	check_flame.py FILE

import re
import sys
import xml.etree.ElementTree as xml

SVG = '{http://www.w3.org/2000/svg}'
ROW = 17
ROUNDING = 0.11

root = xml.parse(sys.argv[1]).getroot()
assert root.tag == SVG + 'svg'
for element in root.iter():
    assert element.tag in {SVG + tag for tag in ('svg', 'g', 'title', 'rect', 'text')}, element.tag
    assert not any('href' in name for name in element.attrib)

rows = {}
for group in root.iter(SVG + 'g'):
    count = int(re.search(r' \((\d+), \d+\.\d\d%\)$', group.find(SVG + 'title').text)[1])
    rect = group.find(SVG + 'rect')
    x, width = float(rect.get('x')), float(rect.get('width'))
    rows.setdefault(int(rect.get('y')), []).append((x, x + width, count))

bottom = max(rows)
[(left, right, total)] = rows[bottom]
for y, boxes in rows.items():
    boxes.sort()
    for (x, end, count), following in zip(boxes, boxes[1:] + [(right + 1, 0, 0)]):
        assert abs((right - left) * count / total - (end - x)) <= ROUNDING
        assert end <= following[0] + ROUNDING
        assert y == bottom or any(a - ROUNDING <= x and end <= b + ROUNDING
                                  for a, b, _ in rows[y + ROW])
