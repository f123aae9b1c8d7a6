import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'

let cli: Cli
beforeEach(() => {
  cli = createCli()
})
afterEach(() => cli.remove())

const ladder = (...path: string[]) => join(cli.home, 'MEMORY/LEARNING/LADDER', ...path)

describe('steward ladder', () => {
  it('goes from a source to a hypothesis', async () => {
    expect((await cli.run(['ladder'])).stdout).toContain('nothing yet')
    await cli.run(['ladder', 'add', 'source', 'A paper: on "retries"'])
    const body = ['ladder', 'add', 'ideas', 'Back off', '--from', 'sr-1', '--body', '-']
    expect((await cli.run(body, { stdin: 'By host.' })).stdout).toMatch(
      /^ID-001 added: .*ID-001\.md\n$/,
    )
    cli.write('more.md', 'Longer each time.')
    const made = await cli.json([
      'ladder',
      'promote',
      'ID-001',
      '--title',
      'Fewer bans',
      '--body',
      '@more.md',
      '--json',
    ])
    expect(made).toMatchObject({ id: 'HY-001', from: 'ID-001', stage: 'hypotheses' })
    expect(await cli.json(['ladder', 'list', '--json'])).toMatchObject({
      available: true,
      items: [
        { id: 'SR-001', title: 'A paper: on "retries"', status: 'open' },
        { id: 'ID-001', status: 'promoted', from: 'SR-001' },
        { id: 'HY-001', title: 'Fewer bans', status: 'open' },
      ],
      problems: [],
    })
    expect((await cli.run(['ladder', 'show', 'id-1'])).stdout).toMatch(
      /By host\.\n\nled to: HY-001\n$/,
    )
    expect(readFileSync(ladder('Hypotheses/HY-001.md'), 'utf8')).toContain('Longer each time.')
  })

  it('gives processes that add at once an id each', async () => {
    const words = Array.from({ length: 6 }, (_, n) => `item ${n}`)
    const added = await Promise.all(
      words.map((title) => cli.run(['ladder', 'add', 'results', title])),
    )
    expect(added.map(({ code, stderr }) => [code, stderr])).toEqual(words.map(() => [0, '']))
    expect(readdirSync(ladder('Results')).toSorted()).toEqual(
      words.map((_, n) => `RE-00${n + 1}.md`),
    )
  })

  it('names what is wrong: an unknown id, an unknown stage, a broken file', async () => {
    await cli.run(['ladder', 'add', 'ideas', 'x'])
    const unknown = await cli.run(['ladder', 'promote', 'ID-010'])
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      expect.stringContaining('ladder item not found: ID-010 (did you mean ID-001?)'),
    ])
    const stage = await cli.run(['ladder', 'add', 'idees', 'x'])
    expect([stage.code, stage.stderr]).toEqual([2, expect.stringContaining('did you mean ideas?')])
    mkdirSync(ladder('Sources'))
    writeFileSync(ladder('Sources/mine.md'), 'no frontmatter')
    const listed = await cli.run(['ladder', 'list'])
    expect(listed.stderr).toContain('warning: Sources/mine.md is not an item')
    expect((await cli.run(['ladder', 'list', 'ideas'])).stderr).toBe('')
  })
})
