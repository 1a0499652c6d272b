# Lodge in a container: not root, nothing written outside of /var/lib/lodge (docs/deploying.md).
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
COPY requirements/run.lock /tmp/run.lock
RUN /venv/bin/python -m pip install --no-compile --no-deps --require-hashes -r /tmp/run.lock
WORKDIR /app
COPY pyproject.toml README.md LICENSE ./
COPY server/ server/
COPY admin/ admin/
COPY corpus/ corpus/
COPY onnx_models/ onnx_models/
# What built it goes, and what comes with packages and is never used: their tests and headers, a remote protocol of
# Arrow's, an extension for notebooks. Bytecode is unchecked, for a layer rounds the times that it would be checked by.
RUN /venv/bin/python -m pip install --no-deps --no-build-isolation -e . \
    && /venv/bin/python -m pip uninstall -q -y hatchling editables pathspec pluggy trove-classifiers setuptools pip \
    && find /venv/lib -name '*.dist-info' -prune -o -type d \( -name tests -o -name test -o -name include \) -prune \
        -exec rm -r {} + \
    && rm -r /venv/lib/python3*/site-packages/pyarrow/*flight* /venv/share/jupyter \
    && python -m compileall -q --invalidation-mode unchecked-hash /venv/lib server admin corpus

FROM python:3.11-slim-bookworm
RUN groupadd --gid 10001 lodge \
    && useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir /var/lib/lodge --shell /usr/sbin/nologin lodge \
    && install -d -m 700 -o lodge -g lodge /var/lib/lodge
COPY --from=build /venv /venv
COPY --from=build /app /app
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    LODGE_HOME=/var/lib/lodge \
    LODGE_HOST=0.0.0.0 \
    LODGE_LOG=json
WORKDIR /app
USER 10001:10001
VOLUME /var/lib/lodge
EXPOSE 8000 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ.get('LODGE_PORT', 8000)}/healthz\", timeout=2)"]
CMD ["lodge", "serve"]
