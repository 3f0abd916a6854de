"""A look at many texts together sees what a look at each of them sees."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.config import SourceConfig
from memidx.documents import make_document, see
from memidx.sources.base import Item
from memidx.text import glance as module
from memidx.text.glance import glance
from memidx.text.redact import may_hold_private, redact, suspects
from memidx.text.spans import fold

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
        "documents%20and%20settings/bob/",
        "C:\\Users\\bob\\x",
        "api\u212aey=0a9D8f7e6c5b4a3d2e1f",
        "api_key: 0a9D8f7e6c5b4a3d2e1f",
        "DB_PASS_TEST=aB3$aB3$xx",
        "password: hUnter2x$",
        "bearer 0a9D8f7e6c5b4a3d2e1f",
        "Authorization: Basic QWxhZGRpbjpv",
        "?sig=0a9D8f7e6c5b4a3d2e1f",
        "mysql -pX1y2z3",
        "cookie: sid=0a9d8f7e6c5b1234",
        "machine h login bob password s3cretX",
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
        seen = glance(texts)
    assert [said and said[:3] for said in seen] == [
        look[:3] if any(look) else None for look in looks
    ]


@given(texts=_TEXTS)
@settings(deadline=None, max_examples=300)
def test_what_a_glance_says_of_words_changes_nothing(texts: list[str]) -> None:
    """A text is redacted to the same whether all words are looked for or those that were seen."""
    for text, said in zip(texts, glance(texts), strict=True):
        assert redact(text, said) == redact(text)


def test_only_two_letters_have_a_lower_case_that_the_glance_does_not_see() -> None:
    """Of all characters beyond ASCII, those that fold to one of it."""
    odd = [
        letter
        for letter in map(chr, range(128, sys.maxunicode + 1))
        if any(low.isascii() for low in fold(letter))
    ]
    assert odd == ["\u0130", "\u212a"]
    assert glance(["to\u212aen and home"])[0].words is None


def test_a_glance_knows_the_words_of_a_text_but_for_one_that_no_mark_stands_for() -> None:
    """So a text costs no look for what is not in it."""
    text = "the users' api key, the password; Documents%20and%20Settings; mysql -px"
    assert glance([text])[0].words == {
        *("users", "documents and settings", "documents%20and%20settings"),
        *("key", "password", "mysql", "pass"),
    }


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
