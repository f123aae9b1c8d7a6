import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalRuntime, openLocalRuntime } from '@steward/runner'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIBRARY } from './lib/testing/read-library.ts'
import { serveSmtp } from './lib/testing/serve-smtp.ts'

let home: string
let steward: LocalRuntime | undefined

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-'))
})
afterEach(async () => {
  await steward?.close()
  rmSync(home, { recursive: true })
})

const open = async (env: Record<string, string> = {}): Promise<LocalRuntime> => {
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home, LLM_PROVIDER: 'offline', ...env },
    homedir: home,
    builtIn: LIBRARY,
  })
  return steward
}

const page = (body: string): string => `<!doctype html><html><body>${body}</body></html>`

test.each([
  ['5 MB of text in one paragraph', `<p>${'word '.repeat(995_000)}</p>`],
  ['40,000 elements with classes', '<div class="a b article">some words</div>'.repeat(40_000)],
])('other runs go on while an article is searched for in %s', async (_, body) => {
  const { runner } = await open()
  await runner.run('A_FORMAT_MARKDOWN', { title: 'One', content: 'x' })
  const ended: string[] = []
  const reading = runner
    .run('A_EXTRACT_ARTICLE', { html: page(body) })
    .finally(() => ended.push('article'))
  for (let n = 0; n < 3; n++) await runner.run('A_FORMAT_MARKDOWN', { title: 'Two', content: 'x' })
  ended.push('others')
  const { result } = await reading
  expect(ended).toEqual(['others', 'article'])
  if ('error' in result) expect(result.error.code).toMatch(/^(rejected_content|timeout)$/)
  else expect(result.output.word_count).toBeGreaterThan(1000)
})

test('mail is sent by SMTP from a host, which only actions of the library may do', async () => {
  const { mails, url } = await serveSmtp()
  const { runner, history } = await open({ SMTP_URL: url, MAIL_FROM: 'steward@example.net' })
  const mail = { to: 'ada@example.org', subject: 'Hello', body: 'From a host.' }
  const { runId, result } = await runner.run('A_SEND_EMAIL', mail)
  expect(result).toMatchObject({ output: { success: true } })
  expect(mails[0]?.to).toEqual(['ada@example.org'])
  expect(history.get(runId)?.steps[0]?.isolation).toBe('bubblewrap')
})

test('a whole pipeline runs with the offline model', async () => {
  const { runner } = await open()
  const content = `# The Ferry\n${'The ferry has crossed the sound since 1911, and the crew writes a log. '.repeat(12)}`
  const { result } = await runner.run('P_ARTICLE_DIGEST', { content })
  expect(result).toMatchObject({ output: { title: 'The Ferry', body: expect.any(String) } })
})
