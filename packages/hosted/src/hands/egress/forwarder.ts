import { join } from 'node:path'
import type { SandboxBind } from '../sandbox/sandbox.ts'
import { EGRESS_MOUNT, EGRESS_PORT, type Egress } from './egress.ts'

/** The forwarder's file in an egress's folder. */
export const FORWARDER_FILE = 'forwarder.mjs'
export const SOCKET_FILE = 'proxy.sock'
/** The name server's socket. */
export const NAMES_FILE = 'names.sock'
/** Tells programs inside where to ask for names. */
export const RESOLVER_FILE = 'resolv.conf'
/** The Node that runs the forwarder; the sandbox may have none of its own. */
export const NODE_MOUNT = '/run/steward/node'

/** The mounts that the forwarder needs in a sandbox. */
export const bindsFor = ({ folder }: Egress): SandboxBind[] => [
  { host: folder, inside: EGRESS_MOUNT, mode: 'ro' },
  { host: process.execPath, inside: NODE_MOUNT, mode: 'ro' },
]

/** Where programs of a sandbox with DNS find their name server. */
export const resolverBind = ({ folder }: Egress): SandboxBind => ({
  host: join(folder, RESOLVER_FILE),
  inside: '/etc/resolv.conf',
  mode: 'ro',
})

/**
 * Runs inside a sandbox as its own file: forwards connections from a port of the sandbox's loopback
 * to the proxy's socket. With a command, it runs that command with the proxy in its environment and
 * exits with its status; without one it prints `ready` and stays.
 */
export const FORWARDER_SOURCE = `import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const [socket, port, command, ...args] = process.argv.slice(2)
const server = createServer({ allowHalfOpen: true }, (inner) => {
  const outer = connect({ path: socket, allowHalfOpen: true })
  const end = () => {
    inner.destroy()
    outer.destroy()
  }
  inner.on('error', end)
  outer.on('error', end)
  inner.pipe(outer)
  outer.pipe(inner)
})
server.on('error', (thrown) => {
  process.stderr.write('egress forwarder: ' + thrown.message + '\\n')
  process.exit(125)
})
server.listen(Number(port), '127.0.0.1', () => {
  if (command === undefined) {
    process.stdout.write('ready\\n')
    return
  }
  const proxy = 'http://127.0.0.1:' + server.address().port
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, proxy])) }
  const child = spawn(command, args, { stdio: 'inherit', env })
  child.on('error', (thrown) => {
    process.stderr.write(command + ': ' + thrown.message + '\\n')
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`

/**
 * The arguments that start the forwarder inside, after the path of Node. `command` runs once the
 * port is open; without one, wait for the line `ready`.
 */
export const forwarderArgs = (
  command: readonly string[] = [],
  { mount = EGRESS_MOUNT, port = EGRESS_PORT }: { mount?: string; port?: number } = {},
): string[] => [
  // It does very little, so a small heap keeps each sandbox cheap.
  '--max-old-space-size=32',
  `${mount}/${FORWARDER_FILE}`,
  `${mount}/${SOCKET_FILE}`,
  String(port),
  ...command,
]
