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
  const address = addressOf(home)
  // `auth.mode: strict` asks for the token.
  return (
    address !== undefined && post(address, path, body, (readIfPresentSync(home.token) ?? '').trim())
  )
}

const addressOf = (home: Pick<Home, 'databases'>): URL | undefined => {
  const file = join(home.databases, 'daemon.json')
  const info = parseJson(readIfPresentSync(file) ?? '', file)
  const address = info.ok && isJsonObject(info.value) ? textOf(info.value, 'address') : undefined
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined
}

/** A bare socket: Node's HTTP client alone takes longer to load than the whole hook runs. */
const post = (address: URL, path: string, body: string, token: string): Promise<boolean> => {
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
    const end = (taken: boolean) => {
      socket.destroy()
      resolve(taken)
    }
    socket.setTimeout(ANSWER_WAIT_MS, () => end(false))
    socket.once('data', (answer: Buffer) => end(/^HTTP\/1\.1 2/.test(answer.toString('latin1'))))
    socket.once('close', () => end(false))
    // The daemon stopped a moment ago.
    socket.once('error', () => end(false))
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
