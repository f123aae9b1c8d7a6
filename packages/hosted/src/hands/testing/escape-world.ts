import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { homedir, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Targets on the host for an escape; each could be reached without isolation. */
export interface EscapeWorld {
  /** Contained in every secret; if it appears in an output, something leaked. */
  canary: string
  home: string
  /** Readable by everybody, so that only isolation protects it. */
  secretFile: string
  hostFolder: string
  /** A file of another session. */
  otherFile: string
  loopbackPort: number
  hostAddress: string
  abstractName: string
  socketPath: string
  /** A process of the host that could be signalled. */
  victimPid: number
  serverPid: number
  isVictimAlive(): boolean
  /** Whether the listener still responds. */
  answers(): Promise<boolean>
  close(): Promise<void>
}

export const createEscapeWorld = async (): Promise<EscapeWorld> => {
  const canary = `canary-${process.pid}-${Math.random().toString(36).slice(2)}`
  const home = await mkdtemp(join(homedir(), '.steward-escape-'))
  await chmod(home, 0o755)
  const hostFolder = await mkdtemp(join(tmpdir(), 'steward-escape-'))
  await chmod(hostFolder, 0o755)
  const secretFile = join(hostFolder, 'secret.txt')
  await writeFile(secretFile, canary, { mode: 0o644 })
  const otherFolder = join(home, 'hosted', 'workspaces', 'sesn_other', 'workspace')
  await mkdir(otherFolder, { recursive: true })
  const otherFile = join(otherFolder, 'theirs.txt')
  await writeFile(otherFile, canary, { mode: 0o644 })
  process.env.STEWARD_ESCAPE_CANARY = canary

  const servers: Server[] = []
  const listen = async (place: string | number): Promise<Server> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).end(canary)
    })
    servers.push(server)
    if (typeof place === 'number') server.listen(place, '0.0.0.0')
    else server.listen(place)
    await once(server, 'listening')
    return server
  }
  const tcp = await listen(0)
  const address = tcp.address()
  const loopbackPort = typeof address === 'object' && address !== null ? address.port : 0
  const abstractName = `steward-escape-${process.pid}-${Date.now()}`
  await listen(`\0${abstractName}`)
  const socketPath = join(hostFolder, 'host.sock')
  await listen(socketPath)
  await chmod(socketPath, 0o777)
  const victim = spawn('sleep', ['1000'], { stdio: 'ignore' })
  await once(victim, 'spawn')

  return {
    ...{ canary, home, hostFolder, secretFile, otherFile, loopbackPort, abstractName, socketPath },
    hostAddress: findOwnAddress(),
    victimPid: victim.pid ?? 0,
    serverPid: process.pid,
    isVictimAlive: () => victim.exitCode === null && victim.signalCode === null,
    answers: async () => {
      const socket = connect(loopbackPort, '127.0.0.1')
      const [data] = await once(socket, 'data')
      socket.destroy()
      return String(data) === canary
    },
    close: async () => {
      delete process.env.STEWARD_ESCAPE_CANARY
      victim.kill('SIGKILL')
      for (const server of servers) server.close()
      await rm(home, { recursive: true, force: true })
      await rm(hostFolder, { recursive: true, force: true })
    },
  }
}

/** A setuid-root program, placed where the session can run it. */
export const plantSetuid = async (workspace: string): Promise<void> => {
  const planted = join(workspace, 'rooted')
  await copyFile('/usr/bin/id', planted)
  await chmod(planted, 0o4755)
}

const findOwnAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2'
