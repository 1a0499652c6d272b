"""Notifications, put together by the settings: where they look, and how they get out."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from server.ingest.crawl.known_crawls import KnownCrawls
from server.settings import Settings
from server.workbench.coverage.service import CoverageService
from server.workbench.notifications.sending import MailSender, WebhookSender
from server.workbench.notifications.service import DigestTimes, Findings, NotificationService
from server.workbench.records import Records


def build_notifications(
    settings: Settings, records: Records, coverage: CoverageService
) -> NotificationService:
    """What one server tells of, and how."""
    mail = MailSender(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_user,
        settings.smtp_password,
        settings.mail_from,
    )
    zone = ZoneInfo(settings.timezone) if settings.timezone else None
    times = DigestTimes(settings.digest_weekday, settings.digest_hour, zone, settings.console_url)
    return NotificationService(
        records,
        Findings(records, coverage, KnownCrawls(settings.crawl_dir)),
        mail,
        WebhookSender(frozenset(settings.webhook_private_hosts.split())),
        times,
    )
