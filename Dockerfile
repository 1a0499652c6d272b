# Lodge in a container: not root, nothing written outside of /var/lib/lodge (docs/deploying.md).
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
COPY requirements/run.lock /tmp/run.lock
RUN /venv/bin/python -m pip install --require-hashes -r /tmp/run.lock
WORKDIR /app
COPY pyproject.toml README.md LICENSE ./
COPY server/ server/
COPY admin/ admin/
COPY corpus/ corpus/
COPY onnx_models/ onnx_models/
RUN /venv/bin/python -m pip install --no-deps --no-build-isolation -e . \
    && /venv/bin/python -m compileall -q server admin corpus \
    && /venv/bin/python -m pip uninstall -q -y pip

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/lodge --create-home lodge
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
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["lodge", "serve"]
