import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hostFile } from '../assistants.ts'
import { describeHookProgram } from '../install/find-hook-program.ts'
import { planInstall } from '../install/plan-change.ts'
import { checkHosts } from './check-hosts.ts'

let homedir: string
beforeEach(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-check-hosts-'))
})
afterEach(() => rmSync(homedir, { recursive: true, force: true }))

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

it('an assistant is asked for its version; its registrations and firings are read', async () => {
  const bin = join(homedir, 'bin')
  write(join(bin, 'gemini'), `#!/bin/sh\necho 'gemini 0.61.0'\n`)
  chmodSync(join(bin, 'gemini'), 0o755)
  const place = { homedir, env: { PATH: `${bin}:/usr/bin:/bin`, HOME: homedir } }
  const installation = join(import.meta.dirname, '../../../..')
  const ports = { ...place, command: 'steward', installation }
  const file = hostFile('gemini', place)
  const program = describeHookProgram(place, installation)
  const { after = '' } = planInstall('gemini', file, '{"hooks":{"X":[{"hooks":[]}]}}', program)
  write(file, after)
  const firing = (event: string, duration_ms: number, more = {}) =>
    JSON.stringify({
      timestamp: '2026-01-01T00:00:00.000Z',
      host: 'gemini',
      event,
      duration_ms,
      ...more,
    })
  const rows = [
    firing('AfterTool', 50),
    firing('AfterTool', 70),
    firing('AfterTool', 60),
    firing('BeforeTool', 900, { guard: true }),
    firing('AfterTool', 5000, { yielded: true, origin: 'project' }),
    firing('AfterAgent', 55, { errors: ['disk full'] }),
    '{"torn',
  ]
  write(join(homedir, '.steward/state/hook-firings.jsonl'), `${rows.join('\n')}\n`)

  const found = await checkHosts(ports)
  expect(found.map(({ check, status }) => `${status} ${check}`)).toEqual([
    'ok hooks gemini',
    'warn hooks gemini',
    'ok assistants',
  ])
  expect(found[0]?.host).toMatchObject({
    version: '0.61.0',
    state: 'installed',
    foreign: 1,
    addedMs: 60,
  })
  expect(found[0]?.host?.hooks).toContainEqual(
    expect.objectContaining({ event: 'AfterTool', registered: true, firings: 3, medianMs: 60 }),
  )
  expect(found[1]?.message).toContain('disk full')

  write(file, readFileSync(file, 'utf8').replaceAll('"AfterTool"', '"Elsewhere"'))
  const [, problem] = await checkHosts(ports)
  expect(problem?.message).toContain('some events are not registered')
  write(file, after.replaceAll(program.file, '/gone/steward-hook.mjs'))
  expect((await checkHosts(ports))[1]?.message).toContain('another installation')
})
