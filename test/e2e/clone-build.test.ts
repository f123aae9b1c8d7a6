import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { makeClone } from '../../scripts/testing/make-clone.ts'

const CURRENT = `${PLATFORM_VERSION}\n`

const folder = mkdtempSync(join(tmpdir(), 'steward-build-'))
const clone = makeClone()
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(clone, { recursive: true, force: true })
})

const env = {
  ...process.env,
  STEWARD_HOME: join(folder, 'home'),
  XDG_CACHE_HOME: join(folder, 'cache'),
}

const start = (root: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'packages/cli/bin/steward.mjs'), ...args], {
    encoding: 'utf8',
    env,
  })

const dist = join(clone, 'packages/cli/dist')
const builds = () => readdirSync(dist).filter((name) => /^build-\d/.test(name))
const currentBuild = () => readlinkSync(join(dist, 'current'))

const edit = (path: string, from: string, to: string): void => {
  const file = join(clone, path)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

const PROGRAM = 'packages/cli/src/program.ts'
const ROUTE = 'packages/cli/src/commands/route/route.ts'
const STREAMS = join(clone, 'packages/cli/src/output/streams.ts')
const streams = readFileSync(STREAMS, 'utf8')

describe('a clone', () => {
  it('is compiled by the first command, and not by the next', () => {
    expect(start(clone, '--version')).toMatchObject({ status: 0, stdout: CURRENT })
    const first = currentBuild()
    expect(existsSync(join(dist, first, 'program.json'))).toBe(true)
    expect(start(clone, '--version')).toMatchObject({ status: 0, stdout: CURRENT, stderr: '' })
    expect(currentBuild()).toBe(first)
  })

  it('runs the new code after an edit of the same length', () => {
    edit(PROGRAM, 'Runs your AI automation', 'RUNS your AI automation')
    expect(start(clone, '--help').stdout).toContain('RUNS your AI automation')
  })

  it('is not recompiled for a command that an edit does not affect', () => {
    const before = currentBuild()
    edit(ROUTE, 'Command(', 'Command(  ')
    expect(start(clone, '--version').stdout).toBe(CURRENT)
    expect(currentBuild()).toBe(before)
    expect(start(clone, 'route', '--help').status).toBe(0)
    expect(currentBuild()).not.toBe(before)
  })

  it('detects a source file that was replaced by another, whatever its timestamps', () => {
    const file = join(clone, PROGRAM)
    const text = readFileSync(file, 'utf8')
    const draft = `${file}.new`
    writeFileSync(draft, text.replace('RUNS your AI automation', 'Uses your AI automation'))
    spawnSync('touch', ['-r', file, draft])
    renameSync(draft, file)
    expect(start(clone, '--help').stdout).toContain('Uses your AI automation')
  })

  it('never runs code compiled from a removed file', () => {
    rmSync(STREAMS)
    const { status, stdout, stderr } = start(clone, '--version')
    expect(stdout).toBe('')
    expect(status).not.toBe(0)
    expect(stderr).toContain('streams.ts')
  })

  it('is compiled once by two concurrent commands, when the file is back', async () => {
    writeFileSync(STREAMS, streams)
    const before = new Set(readdirSync(dist))
    const launcher = join(clone, 'packages/cli/bin/steward.mjs')
    const children = [1, 2].map(() => spawn(process.execPath, [launcher, '--version'], { env }))
    const ends = await Promise.all(children.map((child) => once(child, 'exit')))
    expect(ends.map(([code]) => code)).toEqual([0, 0])
    expect(readdirSync(dist).filter((name) => !before.has(name))).toHaveLength(1)
    expect(start(clone, '--version')).toMatchObject({ status: 0, stdout: CURRENT })
  })

  it('runs the new code of a library action', () => {
    edit('library/actions/A_SUMMARIZE/action.json', '"description": "', '"description": "Changed. ')
    expect(start(clone, 'list', 'A_SUMMARIZE').stdout).toContain('Changed. ')
  })

  it('uses changed flows, and reports errors in changed definitions', () => {
    edit('library/flows/flow-index.json', '"A digest of the feed', '"Changed. A digest of the feed')
    expect(start(clone, 'list').stdout).toContain('Changed. A digest of the feed')
    edit('library/pipelines/P_ARTICLE_DIGEST.yaml', 'description: ', 'descriptoin: ')
    edit('library/actions/A_ASK_MODEL/action.json', '"description"', '"descriptoin"')
    const { stdout } = start(clone, 'list', '--json')
    const { actions, pipelines } = JSON.parse(stdout)
    const errorOf = (entries: Array<{ name: string; error?: string }>, wanted: string) =>
      entries.find(({ name }) => name === wanted)?.error
    expect(errorOf(pipelines, 'P_ARTICLE_DIGEST')).toContain('description: is required')
    expect(errorOf(actions, 'A_ASK_MODEL')).toContain('description')
    expect(errorOf(actions, 'A_SCORE_SUMMARY')).toBeUndefined()
  })

  it('keeps the build that a process still reads, and removes it after the process has ended', async () => {
    const daemon = spawn(
      process.execPath,
      [join(clone, 'packages/cli/bin/steward.mjs'), 'daemon', '--port', '0', '--json'],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(daemon.stdout, 'data')
    const read = currentBuild()
    const rebuild = (word: string) => {
      edit(PROGRAM, 'your AI automation', `your AI automation, ${word}`)
      expect(start(clone, '--help').stdout).toContain(word)
    }
    for (const word of ['once', 'twice', 'thrice']) rebuild(word)
    expect(readdirSync(dist)).toContain(read)
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
    rebuild('again')
    expect(readdirSync(dist)).not.toContain(read)
    expect(builds()).toHaveLength(2)
    edit(PROGRAM, 'your AI automation, again, thrice, twice, once', 'your AI automation')
  })

  it('is intact after a build was killed', async () => {
    edit(PROGRAM, 'Uses your AI automation', 'Does your AI automation')
    const script = join(clone, 'scripts/program/build-clone.ts')
    const child: ChildProcess = spawn(process.execPath, [script, 'main'], { env })
    await vi.waitFor(() => expect(readdirSync(dist)).toContain('build.lock'))
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(start(clone, '--help').stdout).toContain('Does your AI automation')
    expect(builds().length).toBeLessThan(3)
  })
})

describe('a clone without esbuild', () => {
  it('runs its sources directly', () => {
    const bare = makeClone(['esbuild'])
    try {
      expect(start(bare, '--version')).toMatchObject({ status: 0, stdout: CURRENT, stderr: '' })
      expect(start(bare, 'rnu')).toMatchObject({ status: 2 })
      expect(existsSync(join(bare, 'packages/cli/dist'))).toBe(false)
    } finally {
      rmSync(bare, { recursive: true, force: true })
    }
  })
})
