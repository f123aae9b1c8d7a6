import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls'

export interface StoredMail {
  uid: number
  raw: string
  seen?: boolean
  at: Date
}

export interface ImapStandIn {
  port: number
  /** The folder INBOX; tests change it. */
  inbox: { uidValidity: number; mails: StoredMail[] }
  /** The commands it got, without their tags. */
  commands: string[]
  close: () => Promise<void>
}

/** A mail server on this machine that understands what reading a mailbox needs (RFC 3501). */
export const serveImap = async (
  { user, password }: { user: string; password: string },
  tls?: TlsOptions,
  { startTls = false } = {},
): Promise<ImapStandIn> => {
  const inbox: ImapStandIn['inbox'] = { uidValidity: 1, mails: [] }
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const onConnection = (socket: Socket) => {
    socket.write('* OK ready\r\n')
    follow(socket)
  }
  const follow = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const [tag = '', ...words] = text.slice(0, end).split(' ')
        text = text.slice(end + 2)
        const isSecure = socket instanceof TLSSocket
        commands.push(`${isSecure ? 'secure ' : ''}${words.join(' ')}`)
        if (words[0] === 'STARTTLS' && startTls && !isSecure) {
          socket.removeAllListeners('data')
          socket.write(`${tag} OK begin\r\n`)
          follow(new TLSSocket(socket, { isServer: true, ...tls }))
          return
        }
        if (words[0] === 'CAPABILITY' && startTls && !isSecure) {
          socket.write(`* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\n${tag} OK done\r\n`)
          continue
        }
        socket.write(answer(tag, words.join(' ')))
        if (words[0] === 'LOGOUT') socket.end()
      }
    })
  }

  const answer = (tag: string, command: string): string => {
    const done = (data = '', said = 'OK done') => `${data}${tag} ${said}\r\n`
    const found = (list: readonly StoredMail[]) => list.map(({ uid }) => ` ${uid}`).join('')
    const [name = ''] = command.replace(/^UID /, 'UID_').split(' ')
    switch (name) {
      case 'CAPABILITY':
        return done('* CAPABILITY IMAP4rev1\r\n')
      case 'LOGIN':
        return command.replaceAll('"', '') === `LOGIN ${user} ${password}`
          ? done()
          : done('', 'NO [AUTHENTICATIONFAILED] wrong name or password')
      case 'LIST':
        return done(/(INBOX|\*)"?$/.test(command) ? '* LIST (\\HasNoChildren) "/" INBOX\r\n' : '')
      case 'LSUB':
        return done()
      case 'SELECT':
      case 'EXAMINE': {
        if (!/INBOX/.test(command)) return done('', 'NO [NONEXISTENT] no such folder')
        const next = Math.max(0, ...inbox.mails.map(({ uid }) => uid)) + 1
        const mode = name === 'EXAMINE' ? 'READ-ONLY' : 'READ-WRITE'
        return done(
          `* ${inbox.mails.length} EXISTS\r\n* FLAGS (\\Seen)\r\n* OK [UIDVALIDITY ${inbox.uidValidity}] ok\r\n* OK [UIDNEXT ${next}] ok\r\n`,
          `OK [${mode}] done`,
        )
      }
      case 'UID_SEARCH':
        return done(`* SEARCH${found(inbox.mails.filter((mail) => matches(mail, command)))}\r\n`)
      case 'UID_FETCH': {
        const uid = Number(command.split(' ')[2])
        const at = inbox.mails.findIndex((mail) => mail.uid === uid)
        const mail = inbox.mails[at]
        if (mail === undefined) return done()
        const most = Number(/<0\.(\d+)>/.exec(command)?.[1] ?? Number.POSITIVE_INFINITY)
        const part = mail.raw.slice(0, most)
        const fields = `UID ${uid} RFC822.SIZE ${mail.raw.length} INTERNALDATE "${internalDate(mail.at)}"`
        return done(`* ${at + 1} FETCH (${fields} BODY[]<0> {${part.length}}\r\n${part})\r\n`)
      }
      case 'LOGOUT':
        return done('* BYE\r\n')
      default:
        return done('', `BAD ${name} is not part of the stand-in`)
    }
  }

  const server: Server =
    tls === undefined || startTls ? createServer(onConnection) : createTlsServer(tls, onConnection)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    inbox,
    commands,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const matches = ({ uid, seen = false, at }: StoredMail, command: string): boolean => {
  const from = /UID (\d+):\*/.exec(command.slice('UID SEARCH'.length))?.[1]
  const since = /SINCE (\S+)/.exec(command)?.[1]
  if (/UNSEEN/.test(command) && seen) return false
  // `n:*` always includes the last message; the stand-in is that exact for all of them.
  if (from !== undefined && uid < Number(from) - 1) return false
  return since === undefined || at.getTime() >= Date.parse(`${since} UTC`)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const internalDate = (at: Date): string => {
  const [day = '', time = ''] = at.toISOString().split(/[T.]/)
  const [year, month = '1', date] = day.split('-')
  return `${date}-${MONTHS[Number(month) - 1]}-${year} ${time} +0000`
}
