import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STAGES } from './guide-stages.ts'
import { missingFrom, playBlocks } from './play-page.ts'
import { readBlocks } from './read-page.ts'
import { SEEN } from './seen.ts'

const root = join(import.meta.dirname, '../../..')

/** The text of a page, by its name: the README, or a page of the docs. */
export const readPage = (name: string): string =>
  readFileSync(name === 'README.md' ? join(root, name) : join(root, 'docs', name), 'utf8')

export interface Program {
  /** Puts `steward` on the PATH of a home: its folder `bin`. */
  install: (home: string) => void
  /** The folder that the README is followed in; without it, a project in the home. */
  clone?: string
  /** Instead of the usual search path. */
  path?: string
  /** Settings of npm, which a fresh home lacks. */
  npm?: Readonly<Record<string, string>>
  /** The folder of caches, shared between homes like those of one person. */
  caches: string
}

/** Outcome of a page: what was missing or should not be there, and everything that was printed if something was wrong. */
export interface PageResult {
  code: number | null
  missing: string[]
  text: string
}

/** In a project of its own, an installed program has other words for these. */
const INSTALLED = { 'npm ci && npm start': 'steward start', 'node_modules/.bin/steward': 'steward' }

/** Messages of Node about itself, which a reader can ignore. */
const NODE_WARNING = /^\(node:\d+\) .*Warning.*$/gm

/** Plays one page with a program in a fresh home. */
export const playPage = async (
  name: string,
  { install, clone, path = process.env.PATH ?? '', npm = {}, caches }: Program,
): Promise<PageResult> => {
  const home = mkdtempSync(join(tmpdir(), 'steward-play-'))
  install(home)
  const port = await freePort()
  const stage = (await STAGES[name]?.(home, port)) ?? {}
  const env = {
    PATH: `${join(home, 'bin')}:${path}`,
    HOME: home,
    XDG_CACHE_HOME: caches,
    STEWARD_PORT: String(port),
    LLM_PROVIDER: 'offline',
    DISPLAY: ':9',
    TZ: 'Europe/Berlin',
    ...npm,
    ...stage.env,
  }
  const isReadme = name === 'README.md'
  const fill = { ...(isReadme && clone === undefined ? INSTALLED : {}), ...stage.fill }
  try {
    const { code, text, unlike } = await playBlocks(readBlocks(readPage(name)), {
      cwd: isReadme && clone !== undefined ? clone : home,
      env,
      usesNpx: isReadme && clone !== undefined,
      stage: { ...stage, fill },
    })
    return {
      code,
      missing: [
        ...missingFrom(text, SEEN[name] ?? []),
        ...unlike,
        ...(text.match(NODE_WARNING) ?? []),
        ...(stage.findFaults?.() ?? []),
      ],
      text,
    }
  } finally {
    spawnSync('steward', ['service', 'uninstall'], { env, cwd: home })
    await stage.close?.()
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
