import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor } from '@steward/platform'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import { openHistory, type StoredHistory } from './open-history.ts'
import { sampleAdvance } from './testing/samples.ts'

const programs = mkdtempSync(join(tmpdir(), 'steward-history-child-'))
const children: ChildProcess[] = []
const histories: StoredHistory[] = []
let directory = ''
let program = ''

beforeAll(async () => {
  program = await bundleChild(join(import.meta.dirname, 'testing/child.ts'), programs)
})
afterAll(() => rmSync(programs, { recursive: true, force: true }))

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-history-'))
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const history of histories.splice(0)) await history.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = (): StoredHistory => {
  const history = openHistory({ directory, redactor: createRedactor({}) })
  histories.push(history)
  return history
}

const startChild = async () => {
  const child = fork(program, [directory])
  children.push(child)
  await once(child, 'message')
  return {
    tell: async (command: string, argument: string): Promise<unknown> => {
      child.send(`${command} ${argument}`)
      const [{ answer }] = await once(child, 'message')
      return answer
    },
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('acknowledged data survives a kill, and the run is interrupted for every process', async () => {
  const child = await startChild()
  await child.tell('beginTwoSteps', 'run-1')
  const history = open()
  expect(history.get('run-1')?.status).toBe('running')
  expect(history.list({ status: 'running' })).toHaveLength(1)
  expect(history.list({ status: 'interrupted' })).toEqual([])

  await child.kill()
  const detail = history.get('run-1')
  expect(detail?.status).toBe('interrupted')
  expect(detail?.steps.map(({ status, output }) => [status, output])).toEqual([
    ['completed', { content: 'one done' }],
    ['interrupted', undefined],
  ])
  expect(history.list().map(({ status }) => status)).toEqual(['interrupted'])
  expect(history.list({ status: 'interrupted' })).toHaveLength(1)
  expect(history.list({ status: 'running' })).toEqual([])
})

test('an interrupted run is taken over at its current step', async () => {
  const child = await startChild()
  await child.tell('beginTwoSteps', 'run-1')
  await child.kill()
  const history = open()
  expect(history.resumable('run-1')).toMatchObject({
    record: { status: 'interrupted' },
    input: { content: 'a storm' },
    finished: [{ index: 0, output: { content: 'one done' } }],
    pending: { index: 1, action: 'A_TWO_STEPS', input: { content: 'one done' } },
    redacted: false,
  })
  expect(await history.claim('run-1')).toBe(true)
  expect(await history.claim('run-1')).toBe(false)
  await history.advance(sampleAdvance('run-1', 1, { content: 'two done' }, 'end'))
  const detail = history.get('run-1')
  expect(detail).toMatchObject({ status: 'completed', output: { content: 'two done' } })
  expect(detail?.steps.map(({ attempts }) => attempts)).toEqual([1, 2])
})

test('a run of a live process cannot be claimed', async () => {
  const child = await startChild()
  await child.tell('begin', 'run-1')
  expect(await open().claim('run-1')).toBe(false)
})

test('exactly one of concurrent claims wins', async () => {
  const first = await startChild()
  await first.tell('begin', 'run-1')
  await first.kill()
  const rivals = await Promise.all(Array.from({ length: 3 }, startChild))
  const claims = await Promise.all(rivals.map(({ tell }) => tell('claim', 'run-1')))
  expect(claims.filter(Boolean)).toHaveLength(1)
})

test('one key starts one run, whichever process is faster', async () => {
  const rivals = await Promise.all(Array.from({ length: 3 }, startChild))
  const created = await Promise.all(
    rivals.map(({ tell }, index) => tell('beginWithKey', `run-${index}`)),
  )
  expect(created.filter(Boolean)).toHaveLength(1)
  expect(open().list()).toHaveLength(1)
})

test('several processes write at once, and nothing is lost', async () => {
  const writers = await Promise.all(Array.from({ length: 3 }, startChild))
  await Promise.all(writers.map(({ tell }, index) => tell('runMany', `writer${index}`)))
  const runs = open().list({ limit: 1000 })
  expect(runs).toHaveLength(75)
  expect(runs.every(({ status }) => status === 'completed')).toBe(true)
})

test('the owner files of dead processes are removed, those of others stay', async () => {
  const [gone, alive] = await Promise.all([startChild(), startChild()])
  await gone.tell('begin', 'run-1')
  await alive.tell('begin', 'run-2')
  await gone.kill()
  expect(readdirSync(join(directory, 'owners'))).toHaveLength(2)
  const history = open()
  expect(readdirSync(join(directory, 'owners'))).toHaveLength(1)
  expect(history.get('run-1')?.status).toBe('interrupted')
  expect(history.get('run-2')?.status).toBe('running')
})
