"""`make demo-llm`: the demo university with answers that a small language model writes, until Ctrl-C.

Fetches the model (98 MB, once), builds or finds a llama.cpp server and starts it, says how fast it is here,
and goes on as `make run` does. `LODGE_DEMO_GGUF` names another model's file. The server's own settings
(`LODGE_LLM_…`) may be set as ever; the defaults here are for two cores without a GPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

from scripts.check_llm import PASSAGES, QUESTION, read_out
from scripts.local_model import ADAPTER, ALIAS, fetch_model, free_port, server_command, serving
from scripts.run_demo import Demo, stop_on_signals
from server.errors import LodgeError
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.prompts import Scene, pack
from server.settings import Settings
from server.wiring.opening import site_name

# A core reads some 100 tokens a second, so that a prompt of three passages takes seconds. A short answer is
# awaited longer than a visitor of a real site should be asked to.
PATIENT = {
    "LODGE_LLM_MODEL": ALIAS,
    "LODGE_LLM_CONTEXT_TOKENS": "512",
    "LODGE_LLM_ANSWER_TOKENS": "96",
    "LODGE_LLM_PROMPT": "compact",
    "LODGE_LLM_FIRST_TOKEN_S": "45",
    "LODGE_LLM_STALL_S": "10",
    "LODGE_LLM_DECIDE_S": "45",
    "LODGE_LLM_TOTAL_S": "60",
    "LODGE_LLM_CONCURRENCY": "1",
    "LODGE_LLM_QUEUE_WAIT_S": "20",
}
THREADS = 2


def tell_speed(settings: Settings) -> None:
    """Print the time to the first words and the tokens a second, by Lodge's own client and prompt."""
    options = ChatOptions.of(settings)
    client = ChatClient(options)
    try:
        scene = Scene(site_name(settings), settings.day or date.today())
        packed = pack(QUESTION, PASSAGES, scene, options.prompt_tokens, client.count_tokens)
        answer, finish = read_out(client, packed.messages)
        tokens = finish.answer_tokens or client.count_tokens(answer)
        seconds = max(finish.total_ms - finish.first_token_ms, 1.0) / 1000
    finally:
        client.close()
    print(f"  first words after {finish.first_token_ms / 1000:.1f} s (a prompt of {packed.tokens} tokens),")
    print(f"  then {tokens / seconds:.0f} tokens a second: {answer.splitlines()[0]!r}", flush=True)


def run() -> int:
    """Everything, in order; the exit status."""
    home = Settings.read(os.environ).home
    model = Path(os.environ.get("LODGE_DEMO_GGUF") or fetch_model(home / "models"))
    adapter = ADAPTER if ADAPTER.exists() and "LODGE_DEMO_GGUF" not in os.environ else None
    port = free_port()
    context = int(PATIENT["LODGE_LLM_CONTEXT_TOKENS"])
    command = server_command(model, adapter, port, context, min(THREADS, os.cpu_count() or 1))
    print(f"Starting {model.name}, {'with its adapter' if adapter else 'as it comes'} …", flush=True)
    with serving(command, port, home / "llama-server.log") as url:
        for name, value in {"LODGE_LLM_URL": url, **PATIENT}.items():
            os.environ.setdefault(name, value)
        settings = Settings.read(os.environ)
        tell_speed(settings)
        return Demo(settings).run()


def main() -> int:
    """The exit status; what went wrong is one sentence."""
    try:
        return run()
    except KeyboardInterrupt:
        print("\nStopping.")
        return 0
    except (ValueError, LodgeError, OSError, subprocess.CalledProcessError) as error:
        print(f"The demo with a language model cannot run: {error}")
        return 1


if __name__ == "__main__":
    stop_on_signals()
    sys.exit(main())
