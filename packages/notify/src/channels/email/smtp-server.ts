import { fail, ok, type Result, StewardError } from '@steward/contract'

export interface SmtpServer {
  host: string
  port: number
  secure: boolean
  auth?: { user: string; pass: string }
}

/**
 * Parses `smtp://user:password@host:587`; errors describe the form and never the value, which
 * contains a password.
 */
export const parseSmtpUrl = (text: string): Result<SmtpServer> => {
  const url = URL.parse(text)
  const isSmtp = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
  const auth = isSmtp ? authOf(url) : undefined
  if (!isSmtp || auth === 'malformed') {
    const reason =
      'notifications.email.smtp must look like smtp://user:password@host:587 or smtps://user:password@host:465'
    return fail(new StewardError('not_configured', { subject: 'email', reason }))
  }
  const secure = url.protocol === 'smtps:'
  return ok({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(auth === undefined ? {} : { auth }),
  })
}

const authOf = ({ username, password }: URL): SmtpServer['auth'] | 'malformed' => {
  if (username === '') return undefined
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  } catch (thrown) {
    if (thrown instanceof URIError) return 'malformed'
    throw thrown
  }
}
