import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface ReceivedMail {
  to: string[]
  from: string
  raw: string
}

interface SmtpOptions {
  refuse?: string
  /** Takes passwords and mails only after STARTTLS with this certificate for `localhost`. */
  startTls?: { key: string; cert: string }
  /** Where it listens, if not on loopback. */
  host?: string
}

/** A real SMTP server on loopback for one test, with one account; records the mails. */
export const serveSmtp = async ({ host = '127.0.0.1', ...options }: SmtpOptions = {}) => {
  const mails: ReceivedMail[] = []
  const logins: string[] = []
  const isPlain = options.startTls === undefined
  const server = new SMTPServer({
    ...options.startTls,
    disabledCommands: isPlain ? ['STARTTLS'] : [],
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: isPlain,
    hideSTARTTLS: false,
    onAuth: ({ username, password }, { secure }, done) => {
      logins.push(secure ? 'secure' : 'plain')
      if (username === 'me@host' && password === 'p:ss/word') done(null, { user: username })
      else done(new Error('bad credentials'))
    },
    onRcptTo: ({ address }, _, done) => {
      if (address !== options.refuse) return done()
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const name = isPlain ? host : 'localhost'
  return { mails, logins, url: `smtp://me%40host:p%3Ass%2Fword@${name}:${address.port}` }
}
