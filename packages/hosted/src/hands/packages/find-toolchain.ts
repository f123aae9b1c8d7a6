import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { DEFAULT_PATH, findCommand } from '@steward/platform'
import type { SandboxBind } from '../sandbox/sandbox.ts'

/** The location of a compiler that the sandbox does not find by itself. */
export interface Toolchain {
  binds: SandboxBind[]
  path: string[]
}

const NOTHING: Toolchain = { binds: [], path: [] }
const SYSTEM = '/usr/'
const execute = promisify(execFile)

/**
 * Compilers are seldom in system folders: Go is in /usr/local/go, Rust in the operator's home. Only
 * the compiler's folder is mounted, nothing else of that home.
 */
export const findToolchain = async (
  command: string,
  path = process.env.PATH ?? '',
  home = homedir(),
): Promise<Toolchain> => {
  if (findCommand(command, DEFAULT_PATH).ok) return NOTHING
  const found = findCommand(command, `/usr/local/${command}/bin:${path}`)
  if (!found.ok) return NOTHING
  const real = await resolveShim(await realpath(found.value), command)
  if (real === undefined) return NOTHING
  const folder = dirname(real)
  const root = dirname(folder)
  if (real.startsWith(SYSTEM)) return { binds: [], path: [folder] }
  const isHome = `${home}/`.startsWith(root === '/' ? root : `${root}/`)
  if (isHome || basename(folder) !== 'bin') return NOTHING
  return { binds: [{ host: root, inside: root, mode: 'ro' }], path: [folder] }
}

/**
 * rustup puts shims into PATH that start the real program; without a toolchain it does not exist.
 */
const resolveShim = async (real: string, command: string): Promise<string | undefined> => {
  if (basename(real) !== 'rustup') return real
  try {
    const { stdout } = await execute(real, ['which', command])
    return await realpath(stdout.trim())
  } catch {
    return undefined
  }
}
