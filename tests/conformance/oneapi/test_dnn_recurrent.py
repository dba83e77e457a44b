"""Recurrent networks of oneDNN, forward and backward, against NumPy and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from unisycl.oneapi import dnn
from unisycl.oneapi.dnn import arg, memory

data_type, tag, prop = memory.data_type, memory.format_tag, dnn.prop_kind
way = dnn.rnn_direction
GATES = {"vanilla_rnn": 1, "lstm": 4, "gru": 3, "lbr_gru": 3}
STEPS, BATCH, UNITS = 3, 2, 3


def sigma(v):
    return 1 / (1 + np.exp(-v))


def cell(kind, x, h, c, wx, wh, b, peep):
    """Return the state and the cell behind one step."""
    d = h.shape[1]
    a, r = x @ wx.reshape(wx.shape[0], -1), h @ wh.reshape(d, -1)
    b = b.ravel()
    part = [slice(k * d, (k + 1) * d) for k in range(4)]
    if kind == "vanilla_rnn":
        return np.tanh(a + r + b), c
    if kind == "lstm":
        z = a + r + b
        i, f = sigma(z[:, part[0]] + peep[0] * c), sigma(z[:, part[1]] + peep[1] * c)
        c = f * c + i * np.tanh(z[:, part[2]])
        return sigma(z[:, part[3]] + peep[2] * c) * np.tanh(c), c
    u, q = (sigma(a[:, p] + r[:, p] + b[p]) for p in part[:2])
    if kind == "gru":
        o = np.tanh(a[:, part[2]] + (q * h) @ wh[:, 2] + b[part[2]])
    else:
        o = np.tanh(a[:, part[2]] + q * (r[:, part[2]] + b[part[3]]) + b[part[2]])
    return u * h + (1 - u) * o, c


def network(kind, direction, p):
    """Return all results of a network, by the names of its arguments."""
    wx, wh = p["weights_layer"], p["weights_iter"]
    layers, ways = wx.shape[:2]
    peep = p.get("weights_peephole", np.zeros((layers, ways, 3, UNITS)))
    last_h, last_c = np.zeros((2, layers, ways, BATCH, UNITS))
    outs = []
    for d in range(ways):
        turned = d == 1 or direction is way.unidirectional_right2left
        seen = p["src_layer"][::-1] if turned else p["src_layer"]
        for k in range(layers):
            h = p["src_iter"][k, d] if "src_iter" in p else np.zeros((BATCH, UNITS))
            c = p["src_iter_c"][k, d] if "src_iter_c" in p else np.zeros((BATCH, UNITS))
            found = []
            for x in seen:
                h, c = cell(kind, x, h, c, wx[k, d], wh[k, d], p["bias"][k, d], peep[k, d])
                found.append(h)
            seen = np.stack(found)
            last_h[k, d], last_c[k, d] = h, c
        outs.append(seen[::-1] if turned else seen)
    whole = np.concatenate(outs, 2) if direction is way.bidirectional_concat else sum(outs)
    return {"dst_layer": whole, "dst_iter": last_h, "dst_iter_c": last_c}


CASES = {
    "rnn": ("vanilla_rnn", 1, way.unidirectional_left2right, True),
    "lstm": ("lstm", 2, way.unidirectional_left2right, True),
    "lstm both": ("lstm", 1, way.bidirectional_concat, False),
    "lstm back": ("lstm", 1, way.unidirectional_right2left, True),
    "peepholes": ("lstm", 1, way.unidirectional_left2right, True),
    "gru": ("gru", 2, way.bidirectional_sum, True),
    "lbr_gru": ("lbr_gru", 1, way.unidirectional_left2right, True)}


def parameters(name):
    """Return the tensors of a case."""
    kind, layers, direction, states = CASES[name]
    rng = np.random.default_rng(3)
    ways = 2 if direction in (way.bidirectional_concat, way.bidirectional_sum) else 1
    gates = GATES[kind]
    shapes = {"src_layer": (STEPS, BATCH, UNITS)}
    if states:
        shapes["src_iter"] = (layers, ways, BATCH, UNITS)
        if kind == "lstm":
            shapes["src_iter_c"] = shapes["src_iter"]
    shapes["weights_layer"] = shapes["weights_iter"] = (layers, ways, UNITS, gates, UNITS)
    if name == "peepholes":
        shapes["weights_peephole"] = (layers, ways, 3, UNITS)
    shapes["bias"] = (layers, ways, gates + (kind == "lbr_gru"), UNITS)
    return {k: model.numbers(rng, s) for k, s in shapes.items()}


def number(name):
    return getattr(arg, name.upper())


def described(kind, given, results, opened):
    """Return the descriptors of a network in the order of its class."""
    names = ["src_layer", "src_iter", *(["src_iter_c"] * (kind == "lstm")), "weights_layer",
             "weights_iter", *(["weights_peephole", "weights_projection"] * (kind == "lstm")),
             "bias", "dst_layer", "dst_iter", *(["dst_iter_c"] * (kind == "lstm"))]
    both = {**given, **results}
    return [None if n not in both else memory.desc(
        both[n].shape, data_type.f32, tag.any) if opened and n.startswith("weights_") and (
            "peep" not in n) else model.plain(both[n]) for n in names]


def into(e, s, md, x):
    """Return memory of a descriptor with the elements of an array."""
    found = memory(md, e)
    dnn.reorder(memory(x, e), found).execute(s, memory(x, e), found)
    return found


@pytest.mark.row("L-13")
@pytest.mark.parametrize("name", CASES)
def test_networks_and_their_gradients(queue: sycl.queue, name: str) -> None:
    kind, _, direction, states = CASES[name]
    fwd, bwd = (getattr(dnn, f"{kind}_{w}") for w in ("forward", "backward"))
    p = parameters(name)
    exact = {k: v.astype(float) for k, v in p.items()}
    right = network(kind, direction, exact)
    kept = ["dst_layer"] + ["dst_iter"] * states + ["dst_iter_c"] * (states and kind == "lstm")
    rng = np.random.default_rng(5)
    slopes = {k: model.numbers(rng, right[k].shape) for k in kept}
    activation = (dnn.algorithm.eltwise_tanh,) if kind == "vanilla_rnn" else ()
    for who in model.providers(queue):
        e = dnn.engine(queue)
        s = dnn.stream(e)
        with dnn.using(who):
            found = {k: np.zeros(right[k].shape, np.float32) for k in kept}
            order = described(kind, p, found, True)
            pd = fwd.primitive_desc(e, prop.forward_training, *activation, direction, *order)
            held = {number(k): into(e, s, pd.exec_arg_desc(number(k)), v) for k, v in p.items()}
            held |= {number(k): v for k, v in found.items()}
            held[arg.WORKSPACE] = memory(pd.workspace_desc(), e)
            fwd(pd).execute(s, held).wait()
            for k, v in found.items():
                model.near(v, right[k])
            grads = {k: np.zeros_like(v) for k, v in p.items()}
            back = bwd.primitive_desc(
                e, prop.backward, *activation, direction, *order,
                *described(kind, grads, found, True), pd)
            for k, v in p.items():
                held[number(k)] = into(e, s, back.exec_arg_desc(number(k)), v)
                md = back.exec_arg_desc(number(f"diff_{k}"))
                held[number(f"diff_{k}")] = into(e, s, md, grads[k])
            held |= {number(f"diff_{k}"): v for k, v in slopes.items()}
            bwd(back).execute(s, held).wait()
            for k in p:
                x = held[number(f"diff_{k}")]
                dnn.reorder(x, memory(grads[k], e)).execute(s, x, memory(grads[k], e)).wait()
                model.near(grads[k], descent(kind, direction, exact, k, slopes), scale=20)


def descent(kind, direction, p, name, slopes, step=1e-5):
    """Return a gradient by central differences."""
    found = np.zeros(p[name].shape)
    for at in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = p[name].copy()
            moved[at] += sign * step
            out = network(kind, direction, {**p, name: moved})
            sides.append(sum((out[k] * g).sum() for k, g in slopes.items()))
        found[at] = (sides[0] - sides[1]) / (2 * step)
    return found


@pytest.mark.row("L-13")
def test_networks_refuse_what_does_not_fit(queue: sycl.queue) -> None:
    e = dnn.engine(queue)
    p = parameters("gru")
    out = np.zeros((STEPS, BATCH, UNITS), np.float32)
    with pytest.raises(dnn.error, match="2 directions"):
        dnn.lstm_forward.primitive_desc(
            e, prop.forward_inference, way.bidirectional_concat,
            *described("lstm", parameters("lstm"), {"dst_layer": out}, False))
    with pytest.raises(dnn.error, match="bias has sizes"):
        dnn.lbr_gru_forward.primitive_desc(
            e, prop.forward_inference, way.bidirectional_sum,
            *described("lbr_gru", p, {"dst_layer": out}, False))
