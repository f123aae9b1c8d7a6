import { reasonOf, StewardError } from '@steward/contract'
import type { Message } from './message.ts'

const CONNECT_TIMEOUT_MS = 20_000
const IDLE_TIMEOUT_MS = 60_000

/**
 * Sends the mail to the server in `SMTP_URL`. Loaded on demand, because an isolate may have no
 * sockets.
 */
export const sendBySmtp = async (smtpUrl: string, message: Message): Promise<void> => {
  const server = parseSmtpUrl(smtpUrl)
  // The whole package would include child processes, which isolates lack.
  const [{ default: Mailer }, { default: SmtpTransport }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-transport'),
  ])
  const transport = new Mailer(
    new SmtpTransport({
      ...server,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
    }),
    { disableFileAccess: true, disableUrlAccess: true },
  )
  try {
    await transport.sendMail(message)
  } catch (cause) {
    throw toSmtpError(cause, `${server.host}:${server.port}`)
  } finally {
    transport.close()
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

const parseSmtpUrl = (text: string) => {
  const url = URL.parse(text)
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  if (url === null || !isSmtp || url.hostname === '') {
    // The value contains a password, so the message shows the form and never the value.
    throw new StewardError('not_configured', {
      subject: 'SMTP_URL',
      reason: 'it must look like smtp://user:password@host:587 or smtps://user:password@host:465',
    })
  }
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    // A server offers STARTTLS in plain text, and someone on the way could remove the offer.
    requireTLS: !secure && url.username !== '' && !LOOPBACK.test(host),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username === ''
      ? {}
      : {
          auth: {
            user: decodeURIComponent(url.username),
            pass: decodeURIComponent(url.password),
          },
        }),
  }
}

const toSmtpError = (cause: unknown, service: string): StewardError => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const status = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : 0
  if (code === 'EAUTH') {
    return new StewardError(
      'not_configured',
      {
        subject: 'SMTP_URL',
        reason: `${service} does not accept the user and password in it`,
      },
      cause,
    )
  }
  // 5xx is permanent (RFC 5321, 4.2.1): a retry would be refused too.
  if (status >= 500) {
    return new StewardError(
      'rejected_content',
      { subject: service, reason: reasonOf(cause) },
      cause,
    )
  }
  return new StewardError('upstream_failed', { service, reason: reasonOf(cause) }, cause)
}
