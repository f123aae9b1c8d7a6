import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { reasonOf } from '@steward/contract'

/** The two ends of a loopback connection, from our side. */
export type Connection = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

export interface PeerAccountPorts {
  platform: NodeJS.Platform
  /** The account this process runs as. */
  uid: number
  /** The system's table of TCP connections (`/proc/net/tcp`, `/proc/net/tcp6`). */
  readTable: (path: string) => Promise<string>
  /** What `lsof` prints, run with these arguments. */
  runLsof: (args: readonly string[]) => Promise<string>
  /** Called once, when the system does not tell which account connects. */
  onUnknown: (reason: string) => void
}

export type IsOwnAccount = (socket: Connection) => Promise<boolean>

const ROOT = 0

/**
 * Tells whether the other end of a loopback connection belongs to our own account, or to root, who can
 * read the token anyway. Answers false when this cannot be determined: the caller then needs the token.
 */
export const createPeerAccounts = (ports: PeerAccountPorts): IsOwnAccount => {
  const known = new WeakMap<Connection, Promise<boolean>>()
  let isReported = false
  const look = async (socket: Connection): Promise<boolean> => {
    try {
      if (ports.platform === 'linux') {
        const uid = await findUid(socket, ports.readTable)
        return uid === ports.uid || uid === ROOT
      }
      return await isListedAsOurs(socket, ports)
    } catch (thrown) {
      if (!isReported) ports.onUnknown(reasonOf(thrown))
      isReported = true
      return false
    }
  }
  return (socket) => {
    const found = known.get(socket) ?? look(socket)
    known.set(socket, found)
    return found
  }
}

/** The real system behind `createPeerAccounts`. */
export const systemPeerAccounts = (onUnknown: (reason: string) => void): IsOwnAccount =>
  createPeerAccounts({
    platform: process.platform,
    uid: process.getuid?.() ?? ROOT,
    readTable: (path) => readFile(path, 'latin1'),
    runLsof: async (args) => {
      const { stdout } = await execute('lsof', args, { timeout: LSOF_TIMEOUT_MS })
      return stdout
    },
    onUnknown,
  })

const execute = promisify(execFile)
const LSOF_TIMEOUT_MS = 2000

/** An IPv6 socket can reach an IPv4 address; the peer is then in the IPv6 table, under the mapped address. */
const MAPPED = '::ffff:'

const findUid = async (
  socket: Connection,
  readTable: PeerAccountPorts['readTable'],
): Promise<number | undefined> => {
  const { remoteAddress = '', localAddress = '', remotePort = 0, localPort = 0 } = socket
  const rowOf = (toHex: (address: string) => string) =>
    `${toHex(remoteAddress)}:${portHex(remotePort)} ${toHex(localAddress)}:${portHex(localPort)} `
  if (remoteAddress.includes('.')) {
    const uid = uidInTable(await readTable('/proc/net/tcp'), rowOf(ipv4Hex))
    if (uid !== undefined) return uid
  }
  return uidInTable(await readTable('/proc/net/tcp6'), rowOf(ipv6Hex))
}

const uidInTable = (table: string, ends: string): number | undefined => {
  const start = table.indexOf(ends)
  if (start === -1) return undefined
  // state, queues, timer, retransmits, uid, timeout, inode
  const [, , , , uid = '', , inode] = table.slice(start + ends.length, start + 200).split(/ +/)
  // A closed socket has no inode, and Linux shows root as its owner.
  return inode === '0' ? undefined : Number(uid)
}

const portHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

/** As Linux prints addresses: in words of the machine's own byte order. */
const wordsHex = (bytes: readonly number[]): string =>
  Array.from(new Uint32Array(Uint8Array.from(bytes).buffer), (word) =>
    word.toString(16).toUpperCase().padStart(8, '0'),
  ).join('')

const ipv4Bytes = (address: string): number[] => address.replace(MAPPED, '').split('.').map(Number)

const ipv4Hex = (address: string): string => wordsHex(ipv4Bytes(address))

/** Of the loopback addresses, which are all we listen on without asking everyone for the token. */
const ipv6Hex = (address: string): string =>
  wordsHex(
    address.includes('.')
      ? [...new Array(10).fill(0), 0xff, 0xff, ...ipv4Bytes(address)]
      : [...new Array(15).fill(0), 1],
  )

/** Without root, `lsof` lists the files of our own account only: a connection it lists is ours. */
const isListedAsOurs = async (
  { remoteAddress = '', remotePort, localAddress = '', localPort }: Connection,
  { uid, runLsof }: PeerAccountPorts,
): Promise<boolean> => {
  const end = (address: string, port: number | undefined) =>
    `${address.includes('.') ? address.replace(MAPPED, '') : `[${address}]`}:${port}`
  const listed = await runLsof(['-nP', '-a', '-u', String(uid), `-iTCP:${remotePort}`, '-Fn'])
  const wanted = `n${end(remoteAddress, remotePort)}->${end(localAddress, localPort)}`
  return listed.split('\n').includes(wanted)
}
