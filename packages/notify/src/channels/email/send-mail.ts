import { reasonOf, StewardError } from '@steward/contract'
import { codeOf } from '@steward/platform'
import { delivered, failed, type SendOutcome } from '../send-outcome.ts'
import type { Mail } from './build-mail.ts'
import type { SmtpServer } from './smtp-server.ts'

const CONNECT_TIMEOUT_MS = 5000
const IDLE_TIMEOUT_MS = 15_000

export type SendMail = (mail: Mail, server: SmtpServer) => Promise<SendOutcome>

/** Sends the mail to the server. The mail library is loaded on first use. */
export const sendMail: SendMail = async (mail, server) => {
  const { createTransport } = (await import('nodemailer')).default
  const transport = createTransport({
    ...server,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail(mail)
    return delivered(`taken by ${server.host}`)
  } catch (thrown) {
    return failed(toError(thrown, `the mail server ${server.host}:${server.port}`))
  } finally {
    transport.close()
  }
}

const toError = (thrown: unknown, service: string): StewardError => {
  const code = codeOf(thrown)
  const status =
    thrown instanceof Error && 'responseCode' in thrown ? Number(thrown.responseCode) : 0
  if (code === 'EAUTH') {
    const reason = `${service} does not accept the user and password of notifications.email.smtp`
    return new StewardError('not_configured', { subject: 'email', reason })
  }
  // 5xx is permanent (RFC 5321, 4.2.1), so a retry would be refused too.
  if (status >= 500) {
    return new StewardError('rejected_content', { subject: service, reason: reasonOf(thrown) })
  }
  return new StewardError('upstream_failed', { service, reason: reasonOf(thrown) })
}
