# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a Markdown file that tests ask about: headings, links, and code."""
import re

FENCE = re.compile(r"^ *(```+|~~~+)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(\S+)", re.MULTILINE)


def split(text):
    """The prose as text, and the blocks of code, each a list of lines.

    A block is fenced, or indented by four columns behind an empty line.
    """
    prose, blocks, fence, empty = [], [], None, True
    for line in text.split("\n"):
        found = FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence):
                fence = None
            else:
                blocks[-1].append(line)
            prose.append("")
        elif found:
            fence = found[1]
            blocks.append([])
            prose.append("")
        elif line.startswith("    ") and (empty or blocks and blocks[-1] and not prose[-1]):
            if empty:
                blocks.append([])
            blocks[-1].append(line[4:])
            prose.append("")
        else:
            prose.append(line)
        empty = not line.strip()
    return "\n".join(prose), blocks


def spans(prose):
    """The pieces of code within the prose, each on one line."""
    return [" ".join(found[2].split()) for found in SPAN.finditer(prose)]


def links(prose):
    """Where its links lead."""
    plain = SPAN.sub("", prose)
    return LINK.findall(plain) + DEFINITION.findall(plain)


def anchors(prose):
    """The names that GitHub gives to the headings."""
    seen, result = {}, set()
    for line in prose.split("\n"):
        found = HEADING.match(line)
        if not found:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        result.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
    return result
