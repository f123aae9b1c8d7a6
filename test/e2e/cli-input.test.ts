import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli, writeAction } from './cli-process.ts'

let cli: Cli
beforeAll(() => {
  cli = createCli()
  writeAction(
    cli,
    'A_COUNT_WORDS',
    'export const execute = ({ content }) => ({ words: content.split(/\\s+/).filter(Boolean).length })',
    {
      input: { content: { type: 'string', required: true }, title: { type: 'string' } },
      output: { words: { type: 'integer' } },
    },
  )
  writeAction(
    cli,
    'A_SHOUT_TITLE',
    'export const execute = ({ title }) => ({ title: title.toUpperCase() })',
    {
      input: { title: { type: 'string', required: true } },
      output: { title: { type: 'string' } },
    },
  )
  cli.write(
    'USER/PIPELINES/P_COUNT_SHOUT.yaml',
    'name: P_COUNT_SHOUT\ndescription: both\nactions: [A_COUNT_WORDS, A_SHOUT_TITLE]\n',
  )
  cli.write('input.json', '{"content": "from a file"}')
  cli.write('article.md', '# Tea\n\nis fine\n')
})
afterAll(() => cli.remove())

const count = (...args: string[]) => cli.json(['run', 'A_COUNT_WORDS', '--local', ...args])

describe('steward run: every way to give the input', () => {
  it('as JSON: an argument, --input, a file, standard input', async () => {
    expect(await count('{"content":"a b c"}')).toEqual({ content: 'a b c', words: 3 })
    expect(await count('--input', '{"content":"a b"}')).toEqual({ content: 'a b', words: 2 })
    expect(await count('--input', '@input.json')).toEqual({ content: 'from a file', words: 3 })
    const piped = { stdin: '{"content":"a"}' }
    expect(await cli.json(['run', 'A_COUNT_WORDS', '--local'], piped)).toMatchObject({ words: 1 })
    expect(
      await cli.json(['run', 'A_COUNT_WORDS', '--mode', 'local', '--input', '-'], piped),
    ).toMatchObject({ words: 1 })
  })

  it('as fields: text, a file, standard input; numbers stay text if the field is text', async () => {
    expect(await count('--content', 'a b', '--url', 'https://x')).toEqual({
      content: 'a b',
      url: 'https://x',
      words: 2,
    })
    expect(await count('--content', '@article.md')).toMatchObject({ words: 4 })
    expect(await count('--content', '2024', '--n=2024', '--flag')).toEqual({
      content: '2024',
      n: 2024,
      flag: true,
      words: 1,
    })
    expect(
      await cli.json(['run', 'A_COUNT_WORDS', '--local', '--content', '@-'], { stdin: 'x y' }),
    ).toMatchObject({ words: 2 })
  })

  it('all at once: standard input, then --input, then fields', async () => {
    const stdin = '{"content":"stdin","title":"stdin","n":1}'
    const args = [
      'run',
      'A_COUNT_WORDS',
      '--local',
      '--input',
      '{"title":"input"}',
      '--content',
      'a b',
    ]
    expect(await cli.json(args, { stdin })).toEqual({
      content: 'a b',
      title: 'input',
      n: 1,
      words: 2,
    })
  })

  it('through a pipeline, with bare JSON on stdout and one line per step on stderr', async () => {
    const args = ['run', 'P_COUNT_SHOUT', '--local', '--content', 'a b', '--title', 'hi']
    const { code, stdout, stderr } = await cli.run(args)
    expect(code).toBe(0)
    expect(stdout).toBe('{"content":"a b","title":"HI","words":2}\n')
    expect(stderr).toMatch(/^\[pipeline\] A_COUNT_WORDS \d+ ms$/m)
    expect(stderr).toMatch(/^P_COUNT_SHOUT completed in .* \(run [0-9a-f-]{36}\)$/m)
    expect((await cli.run([...args, '--quiet'])).stderr).toBe('')
  })

  it('prints the whole record with --json', async () => {
    const answer = await cli.json([
      'run',
      'P_COUNT_SHOUT',
      '--local',
      '--json',
      '{"content":"a","title":"t"}',
    ])
    expect(answer).toMatchObject({
      success: true,
      pipeline: 'P_COUNT_SHOUT',
      stages: ['A_COUNT_WORDS', 'A_SHOUT_TITLE'],
      output: { words: 1, title: 'T' },
      run_id: expect.any(String),
    })
  })

  it('does not run an idempotency key twice', async () => {
    const args = [
      'run',
      'A_COUNT_WORDS',
      '--local',
      '--json',
      '--idempotency-key',
      'k1',
      '{"content":"a"}',
    ]
    const { run_id } = z.object({ run_id: z.string() }).parse(await cli.json(args))
    expect(await cli.json(args)).toMatchObject({ run_id })
    const other = await cli.run([...args.slice(0, -1), '{"content":"b"}'])
    expect(other.code).toBe(4)
    expect(other.stderr).toMatch(/run_conflict/)
  })
})

describe('steward run without --local', () => {
  it('explains what to configure, and mentions --local', async () => {
    const { code, stderr } = await cli.run(['run', 'A_COUNT_WORDS', '--content', 'a'])
    expect(code).toBe(5)
    expect(stderr).toMatch(/edge\.subdomain/)
    expect(stderr).toMatch(/AUTH_TOKEN/)
    expect(stderr).toMatch(/--local/)
  })
})
