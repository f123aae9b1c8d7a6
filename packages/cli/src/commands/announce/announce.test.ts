import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryIo, stdinOf } from '../../testing/memory-io.ts'
import { createAnnounceCommand } from './announce.ts'
import type { Posting } from './post-announcement.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-announce-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const announce = async (
  args: readonly string[],
  { stdin, env = {} }: { stdin?: string; env?: Record<string, string> } = {},
) => {
  const io = memoryIo({
    env: { STEWARD_HOME: folder, ...env },
    homedir: folder,
    cwd: folder,
    stdin: stdinOf(stdin),
    stdinKind: () => (stdin === undefined ? 'nothing' : 'pipe'),
  })
  const posted: Posting[] = []
  const command = createAnnounceCommand(io, (_, posting) => {
    posted.push(posting)
  })
  await command.exitOverride().parseAsync([...args], { from: 'user' })
  return { out: io.out.text(), err: io.err.text(), posted }
}

const writeSkill = (name: string, workflows: readonly string[]): void => {
  const skill = join(folder, '.claude', 'skills', name)
  mkdirSync(join(skill, 'Workflows'), { recursive: true })
  const rows = workflows.map((each) => `| ${each} | Workflows/${each}.md |`)
  writeFileSync(join(skill, 'SKILL.md'), `# ${name}\n## Workflow Routing\n${rows.join('\n')}\n`)
  for (const each of workflows) writeFileSync(join(skill, 'Workflows', `${each}.md`), '')
}

describe('steward announce', () => {
  it('prints and posts the same text', async () => {
    const done = await announce(['the roof', '--request', 'fix the roof', '--agent', 'Ada'])
    expect(done).toEqual({
      out: 'Fixing the roof\n',
      err: '',
      posted: [{ request: { message: 'Fixing the roof', agent: 'Ada' } }],
    })
  })

  it('prints conversation, quick looks and nested workflows, and posts nothing', async () => {
    for (const args of [
      ['Hello!', '--request', 'hello there'],
      ['git status'],
      ['the roof', '--request', 'fix the roof', '--inside', 'Extract'],
    ]) {
      const { out, err, posted } = await announce(args)
      expect(out).not.toBe('')
      expect(err).toMatch(/^not spoken: /)
      expect(posted).toEqual([])
    }
    expect((await announce(['fix the roof', '--print-only'])).posted).toEqual([])
  })

  it('announces a workflow that its skill lists, and no other', async () => {
    writeSkill('Research', ['Extract'])
    const flags = ['--skill', 'Research', '--action', 'summarise papers']
    const done = await announce(['--workflow', 'Extract', ...flags, '--json'])
    expect(JSON.parse(done.out)).toEqual({
      printed: 'Executing the Extract workflow within the Research skill...',
      spoken: 'Running the Extract workflow in the Research skill to summarise papers',
      posted: true,
      skipped: null,
    })
    await expect(announce(['--workflow', 'Other', ...flags])).rejects.toThrow('(listed: Extract)')
    await expect(
      announce(['--workflow', 'Extract', '--skill', 'Research', '--action', 'a b c d e f']),
    ).rejects.toThrow('6 words')
    await expect(announce(['--workflow', 'X', '--skill', 'None'])).rejects.toThrow(
      'skill not found',
    )
    await expect(announce(['--workflow', 'X'])).rejects.toThrow('--skill')
    expect((await announce(['Reading', '--skill', 'Research'])).err).toContain('without a workflow')
    writeSkill('Plain', [])
    expect((await announce(['--workflow', 'X', '--skill', 'Plain'])).err).toContain('no workflows')
  })

  it('posts the phases that the effort speaks', async () => {
    const flags = ['--slug', 's-1', '--session', 'u1']
    const env = { TMUX: '/tmp/t,7,0', TMUX_PANE: '%2' }
    const verify = await announce(['--phase', 'verify', '--effort', 'Standard', ...flags], { env })
    expect(verify.posted).toEqual([
      {
        request: {
          message: 'Entering the Verify phase',
          phase: 'VERIFY',
          slug: 's-1',
          session_id: 'u1',
        },
        tab: { kind: 'tmux', socket: '/tmp/t', serverPid: '7', pane: '%2', terminal: 'other' },
      },
    ])
    const build = await announce(['Building', '--phase', 'BUILD', '--effort', 'standard'])
    expect(build).toMatchObject({ out: 'Building\n', posted: [] })
    expect(build.err).toContain('standard effort does not announce BUILD')
    const deep = await announce(['Building', '--phase', 'BUILD', '--effort', 'deep'])
    expect(deep.posted).toHaveLength(1)
    await expect(announce(['x', '--phase', 'DONE'])).rejects.toThrow('phase: "DONE" is not one of')
    await expect(announce(['x', '--effort', 'deep'])).rejects.toThrow('--phase')
    await expect(announce([])).rejects.toThrow('what: ')
  })

  it('speaks the marked line of a last message, or its first sentence', async () => {
    writeFileSync(join(folder, 'settings.json'), '{"daidentity":{"name":"Kai"}}')
    const done = await announce(['--completion'], { stdin: 'Done.\n🗣️ Kai: The roof is tight.' })
    expect(done.out).toBe('The roof is tight.\n')
    expect(done.posted).toEqual([
      { request: { message: 'The roof is tight.', kind: 'taskComplete' } },
    ])
    const unmarked = await announce(['--completion'], {
      stdin: 'All tests of the roof pass now. The rest is unchanged.',
    })
    expect(unmarked.out).toBe('All tests of the roof pass now.\n')
    expect(unmarked.posted).toHaveLength(1)
    const none = await announce(['--completion'], { stdin: ' \n' })
    expect(none).toMatchObject({ out: '', posted: [] })
    expect(none.err).toContain('no sentence to speak')
  })

  it('prints no terminal escape sequences', async () => {
    const { out, posted } = await announce(['fix \u001b[31mit'])
    expect(out).toBe('Fixing \uFFFD[31mit\n')
    expect(posted[0]?.request.message).toBe('Fixing \u001b[31mit')
  })
})
