"""A look at many texts together sees what a look at each of them sees."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.config import SourceConfig
from memidx.documents import make_document, see
from memidx.sources.base import Item
from memidx.text import glance as module
from memidx.text.glance import glance
from memidx.text.redact import may_hold_private, suspects

_PIECES = st.sampled_from(
    [
        *"""users Users home /home/alice /root Documents and Settings secret token pwd pwdx p_w_d
        credential bearer cookie curl mysql mariadb &code: ;code= key api_key access-key account
        encryption signing auth authorization auth: sig sig= signature: signatured design
        pass passw pass: passphrase sshpass bypass http://bob:x@example.org @ :// Private-Lines
        private key ghp_0123456789abcdefghijABCDEFGHIJ AKIA0123456789ABCDEF eyJhbGciOi SG. .atlasv1.
        :AA hv s. dp.pt. __builtin_ia32_something_long -----BEGIN hooks.slack.com/services/ Q~ \\n
        [31m ;0m - __ AA0123456789abcdefghij SG.0123456789abcdef.0123456789abcdefghij
        %3D _AKIA0123456789ABCDEF_ x_y-z é \u00ad \u200b ü \U000e0001 \ud800""".split(),  # noqa: SIM905 - one a line would take a page
        " ",
        "\n",
        "\0",
        "k\u00adey",
        "ghp_\u00ad0123456789abcdefghijABCDEFGHIJ",
    ]
)
_TEXTS = st.lists(
    st.lists(st.one_of(_PIECES, st.text(max_size=4)), max_size=12).map("".join), max_size=8
)


@given(texts=_TEXTS, most=st.integers(1, 200))
@settings(deadline=None, max_examples=300)
def test_a_glance_sees_what_a_look_sees(texts: list[str], most: int) -> None:
    """In any order and in any groups, whatever stands at the ends of the texts."""
    looks = map(suspects, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_CHARACTERS", most)
        assert glance(texts) == [look if any(look) else None for look in looks]


@given(texts=_TEXTS, cap=st.integers(1, 80))
@settings(deadline=None)
def test_documents_are_the_same_whether_they_were_seen_together(texts: list[str], cap: int) -> None:
    """Text, title, tags and facts alike; longer ones are cut."""
    source = SourceConfig(name="notes", kind="markdown")
    items = [
        Item("a.md", str(number), text, text[::-1], None, tuple(text.split()), {text: [text]})
        for number, text in enumerate(texts)
    ]
    for item, seen in zip(items, see(items, cap), strict=True):
        alone, together = (
            make_document(item, source, anchor_seen=set(), max_bytes=cap, seen=said)
            for said in (None, seen)
        )
        assert alone == together


@given(texts=st.lists(st.lists(_PIECES, max_size=3).map("".join), max_size=70))
@settings(deadline=None)
def test_a_look_at_many_lines_names_those_that_a_look_at_each_does(texts: list[str]) -> None:
    """However many there are, and in their order."""
    lines = [text.replace("\n", " ") for text in texts]
    assert may_hold_private(lines) == [line for line in lines if any(suspects(line))]
