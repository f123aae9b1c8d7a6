import type { Socket } from 'node:net'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '@steward/contract'
import { type Home, readIfPresentSync } from '@steward/platform'
import { textOf } from '../payload/fields.ts'

/** The longest time that a hanging daemon can delay a hook. */
const ANSWER_WAIT_MS = 300

/** Posts to the daemon. False when no daemon confirmed it: one that hangs may be killed before it reads. */
export const postToDaemon = async (
  home: Pick<Home, 'databases' | 'token'>,
  path: string,
  body: string,
): Promise<boolean> => {
  const answer = await request(home, path, body, ANSWER_WAIT_MS, (text) => text !== '')
  return answer !== undefined && IS_FINE.test(answer)
}

const IS_FINE = /^HTTP\/1\.1 2/
/** At the start of a session, which takes longer by itself. */
const BODY_WAIT_MS = 1000

/** Posts to the daemon and returns the body of its answer. */
export const askDaemon = async (
  home: Pick<Home, 'databases' | 'token'>,
  path: string,
  body: string,
): Promise<string | undefined> => {
  const answer = await request(home, path, body, BODY_WAIT_MS, () => false)
  if (answer === undefined || !IS_FINE.test(answer)) return undefined
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}

const request = async (
  home: Pick<Home, 'databases' | 'token'>,
  path: string,
  body: string,
  waitMs: number,
  isEnough: (answer: string) => boolean,
): Promise<string | undefined> => {
  const address = addressOf(home)
  if (address === undefined) return undefined
  // `auth.mode: strict` asks for the token.
  const token = (readIfPresentSync(home.token) ?? '').trim()
  return post({ address, path, body, token, waitMs, isEnough })
}

const addressOf = (home: Pick<Home, 'databases'>): URL | undefined => {
  const file = join(home.databases, 'daemon.json')
  const info = parseJson(readIfPresentSync(file) ?? '', file)
  const address = info.ok && isJsonObject(info.value) ? textOf(info.value, 'address') : undefined
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined
}

/** A bare socket: Node's HTTP client alone takes longer to load than the whole hook runs. */
const post = ({
  address,
  path,
  body,
  token,
  waitMs,
  isEnough,
}: {
  address: URL
  path: string
  body: string
  token: string
  waitMs: number
  isEnough: (answer: string) => boolean
}): Promise<string | undefined> => {
  const { connect } = process.getBuiltinModule('node:net')
  const host = address.hostname.replaceAll(/[[\]]/g, '')
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${address.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    'Connection: close',
  ]
  return new Promise((resolve) => {
    const socket: Socket = connect({ host, port: Number(address.port) })
    const parts: Buffer[] = []
    const answer = () => Buffer.concat(parts).toString('utf8')
    const end = (taken?: string) => {
      socket.destroy()
      resolve(taken)
    }
    socket.setTimeout(waitMs, () => end())
    socket.on('data', (part: Buffer) => {
      parts.push(part)
      if (isEnough(answer())) end(answer())
    })
    socket.once('close', () => end(parts.length === 0 ? undefined : answer()))
    // The daemon stopped a moment ago.
    socket.once('error', () => end())
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
