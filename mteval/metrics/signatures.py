"""Signatures in sacreBLEU's form."""

from __future__ import annotations

import sacrebleu


def signature_without_references(peer: sacrebleu.BLEU | sacrebleu.CHRF | sacrebleu.TER) -> str:
    """Signature of a sacreBLEU metric that has seen no references."""
    peer.num_refs = 1
    signature = peer.get_signature()
    signature.update("nrefs", None)
    return str(signature)
