import type { Socket } from 'node:net'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '@steward/contract'
import { type Home, readIfPresentSync } from '@steward/platform'
import { textOf } from '../payload/fields.ts'

/** The longest time that a hanging daemon can delay a hook. */
const ANSWER_WAIT_MS = 300

type DaemonHome = Pick<Home, 'databases' | 'token'>

export interface DaemonAnswer {
  status: number
  body: string
}

/** Posts to the daemon. False when no daemon confirmed it: one that hangs may be killed before it reads. */
export const postToDaemon = async (
  home: DaemonHome,
  path: string,
  body: string,
): Promise<boolean> => {
  const head = await exchange(home, { path, body, waitMs: ANSWER_WAIT_MS, wantsBody: false })
  return head !== undefined && /^HTTP\/1\.1 2/.test(head)
}

/** Posts to the daemon and waits for the whole answer; undefined if none came. */
export const requestDaemon = async (
  home: DaemonHome,
  path: string,
  body: string,
  waitMs: number,
): Promise<DaemonAnswer | undefined> => {
  const text = await exchange(home, { path, body, waitMs, wantsBody: true })
  const [, status, rest] = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(text ?? '') ?? []
  return status === undefined ? undefined : { status: Number(status), body: rest ?? '' }
}

const addressOf = (home: Pick<Home, 'databases'>): URL | undefined => {
  const file = join(home.databases, 'daemon.json')
  const info = parseJson(readIfPresentSync(file) ?? '', file)
  const address = info.ok && isJsonObject(info.value) ? textOf(info.value, 'address') : undefined
  return address !== undefined && URL.canParse(address) ? new URL(address) : undefined
}

interface Exchange {
  path: string
  body: string
  /** The longest silence. */
  waitMs: number
  wantsBody: boolean
}

/** A bare socket: Node's HTTP client alone takes longer to load than the whole hook runs. */
const exchange = (
  home: DaemonHome,
  { path, body, waitMs, wantsBody }: Exchange,
): Promise<string | undefined> => {
  const address = addressOf(home)
  if (address === undefined) return Promise.resolve(undefined)
  const { connect } = process.getBuiltinModule('node:net')
  const host = address.hostname.replaceAll(/[[\]]/g, '')
  // `auth.mode: strict` asks for the token.
  const token = (readIfPresentSync(home.token) ?? '').trim()
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
    const chunks: Buffer[] = []
    const end = (isWhole: boolean) => {
      socket.destroy()
      resolve(isWhole ? Buffer.concat(chunks).toString() : undefined)
    }
    socket.setTimeout(waitMs, () => end(false))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!wantsBody) end(true)
    })
    socket.once('end', () => end(true))
    socket.once('close', () => end(false))
    // The daemon stopped a moment ago.
    socket.once('error', () => end(false))
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
