import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { countClicks } from './count-clicks.ts'
import { writeHostedDay } from './hosted-day.ts'
import { DESKTOP } from './look-at.ts'
import {
  clientOf,
  mendScriptedAction,
  playScriptedDay,
  refuse,
  switchHostedOn,
  writeScriptedDefinitions,
} from './play-day.ts'
import { writeScriptedDay } from './scripted-day.ts'
import { openPage, settle, watchPage } from './watch-page.ts'

const missing = findMissingBrowser()

/** What people come for, each from the home page, with as many clicks as it may take. */
describe.skipIf(missing !== undefined)('tasks of a person, from the home page', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    cli = createCli()
    writeScriptedDefinitions(cli)
    await writeScriptedDay(cli.home, Date.now())
    await writeHostedDay(cli.home, Date.now())
    switchHostedOn(cli)
    daemon = await startDaemonProcess(cli, { env: { PATH: '/nowhere' } })
    await playScriptedDay(daemon)
    browser = await openBrowser()
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    page = await context.newPage()
    ;({ complaints } = watchPage(page, daemon.address))
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    cli.remove()
  })

  const begin = async (): Promise<() => Promise<number>> => {
    await openPage(page, `${daemon.address}/`)
    return countClicks(page)
  }
  const region = (title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title }) })

  /** Just after midnight, the scripted day is yesterday. */
  const payToday = async (): Promise<void> => {
    const sent = { 'event.name': 'api_request', 'session.id': 'paid-today', cost_usd: '0.12' }
    const attributes = Object.entries({ ...sent, model: 'claude-opus-5-5', input_tokens: '9' }).map(
      ([key, stringValue]) => ({ key, value: { stringValue } }),
    )
    const logRecords = [{ timeUnixNano: `${Date.now()}000000`, attributes }]
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
    const headers = { 'content-type': 'application/json' }
    const answer = await daemon.fetch('/v1/logs', { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
  }

  test('what did today cost: no click', async () => {
    await payToday()
    const clicks = await begin()
    await region('Cost today')
      .getByText(/^\$0\.\d\d$/)
      .first()
      .waitFor()
    expect(await clicks()).toBe(0)
  })

  test('what failed, and why: one click at most', async () => {
    const clicks = await begin()
    const failed = region('Failed')
    await failed.getByText('no level in the report', { exact: false }).waitFor()
    await failed.getByText('Fix the action or its input', { exact: false }).waitFor()
    expect(await clicks()).toBe(0)
    await failed.getByRole('link', { name: 'P_TIDE_REPORT' }).click()
    await page.getByRole('heading', { level: 2, name: 'Step 2 failed' }).waitFor()
    expect(await clicks()).toBe(1)
  })

  test('all failures in one place: runs, tool calls and refusals, each with its cause', async () => {
    await begin()
    await region('Failed').getByRole('link', { name: 'All failures' }).click()
    await region('Automations').getByText('no level in the report', { exact: false }).waitFor()
    await region('Automations').getByRole('button', { name: 'Retry P_TIDE_REPORT' }).waitFor()
    await region('Tool calls of assistants')
      .getByText('expected 0 lost alerts', { exact: false })
      .waitFor()
    await region('Refused').getByText('mkfs.ext4 /dev/sda1').waitFor()
    await page.getByRole('link', { name: /^Security \d+ refused lately/ }).waitFor()
  })

  test('a session, step by step: one click', async () => {
    const clicks = await begin()
    await region('Running now')
      .getByRole('link', { name: /^Migrate the alert sender/ })
      .click()
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('no alert may be lost').waitFor()
    await timeline.getByText('npm run migrate -- --dir db/migrations').waitFor()
    await timeline.getByText('Kill the sender a hundred times').waitFor()
    await timeline.getByText('rm -rf ~/').waitFor()
    await timeline.getByText('EXECUTE', { exact: true }).waitFor()
    expect(await clicks()).toBe(1)
    const step = timeline.getByRole('listitem').filter({ hasText: 'expected 0 lost alerts' })
    expect(await step.count()).toBe(0)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await step.first().waitFor()
    const link = step.first().getByRole('link').first()
    const address = new URL((await link.getAttribute('href')) ?? '', page.url()).href
    await page.goto('about:blank')
    await openPage(page, address)
    await timeline.getByText('expected 0 lost alerts, found 1').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('session-a3d42f11-queue.json')
  })

  test('allow what a local assistant asks for: one click', async () => {
    const clicks = await begin()
    const asked = clientOf(daemon).call('askAttention', {
      body: {
        ...{ id: 'request-of-the-test', host: 'claude', session_id: '90ff3a6e-gauge' },
        ...{ cwd: '/projects/tidewatch', reason: 'permission', tool_name: 'Bash' },
        ...{ preview: 'npm publish', detail: 'npm publish --tag next' },
        asked: { decides: true },
        ...{ at: new Date().toISOString(), waitMs: 60_000 },
      },
    })
    const request = region('Needs you').getByRole('listitem').filter({ hasText: 'npm publish' })
    await request.waitFor()
    await expect.poll(() => page.title()).toBe('(2, 1 failed) Today · Steward')
    await request.getByRole('button', { name: 'Allow' }).click()
    expect(await asked).toMatchObject({ status: 'answered', answer: { decision: 'allow' } })
    await request.waitFor({ state: 'detached' })
    await expect.poll(() => page.title()).toBe('(1, 1 failed) Today · Steward')
    expect(await clicks()).toBe(1)
  })

  test('edit a rule, and test it before it is saved: three clicks', async () => {
    const clicks = await begin()
    await page.getByRole('link', { name: 'Security' }).click()
    await page
      .getByRole('button', { name: /^Edit.*mkfs/ })
      .first()
      .click()
    const form = page.getByRole('form', { name: /^Edit a rule/ })
    await form.getByLabel('Reason').fill('Ada formats disks herself')
    await form.getByLabel('Test a command').fill('mkfs.ext4 /dev/sdb1')
    await form.getByRole('status').getByText('Ada formats disks herself').waitFor()
    expect(JSON.stringify(await refuse(daemon))).not.toContain('Ada formats disks herself')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    expect(JSON.stringify(await refuse(daemon))).toContain('Ada formats disks herself')
    expect(await clicks()).toBe(3)
  })

  test('test a rule on the last 30 days before it is saved: three clicks', async () => {
    const clicks = await begin()
    await page.getByRole('link', { name: 'Security' }).click()
    await page
      .getByRole('button', { name: /^Edit.*mkfs/ })
      .first()
      .click()
    const form = page.getByRole('form', { name: /^Edit a rule/ })
    await form.getByLabel('Pattern').fill('^npm run migrate')
    await form.getByRole('button', { name: 'Test on the last 30 days' }).click()
    await form.getByText(/^\d would be newly blocked\.$/).waitFor()
    const found = form.getByRole('list', { name: 'Latest matches' }).getByRole('listitem')
    const match = found.filter({ hasText: 'npm run migrate -- --dir db/migrations' })
    await match.getByRole('link', { name: 'a session of Claude Code' }).waitFor()
    expect(await clicks()).toBe(3)
    await form.getByLabel('Pattern').fill('^nothing of this day')
    await found.first().waitFor({ state: 'detached' })
    await form.getByRole('button', { name: 'Test on the last 30 days' }).click()
    await form.getByText(/^None of \d+ tool calls of the last 30 days matches\.$/).waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await form.waitFor({ state: 'detached' })
  })

  test('find a note: one click, and typing', async () => {
    const clicks = await begin()
    await page.getByRole('button', { name: 'Search or run a command' }).click()
    await page.keyboard.type('queues retry')
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    const note = palette.getByRole('option', { name: /How queues retry/ })
    await note.waitFor()
    await palette.getByRole('option', { name: /How queues retry/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'How queues retry' }).waitFor()
    expect(await clicks()).toBe(1)
  })

  test('a search in the notes shows the passage with the words', async () => {
    await openPage(page, `${daemon.address}/knowledge?q=tenth+packet`)
    const note = page.getByRole('listitem').filter({ hasText: 'How queues retry' })
    await note.getByText('drops every', { exact: false }).waitFor()
    await note.locator('mark', { hasText: 'packet' }).waitFor()
  })

  test('rerun a failed run from a step: three clicks at most', async () => {
    mendScriptedAction(cli)
    const clicks = await begin()
    await region('Failed').getByRole('link', { name: 'P_TIDE_REPORT' }).click()
    await page.getByRole('button', { name: 'Rerun from step 2', exact: true }).click()
    await page.getByText('Repeats').waitFor()
    await page.getByText('completed', { exact: true }).first().waitFor()
    expect(await clicks()).toBeLessThanOrEqual(3)
    await page.getByRole('link', { name: 'Today' }).click()
    await settle(page)
    await region('Failed')
      .getByRole('link', { name: 'P_TIDE_REPORT' })
      .waitFor({ state: 'detached' })
  })

  test('edit an automation with a dry run on real items, and take it back', async () => {
    await begin()
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('link', { name: 'Edit F_SAMPLE_DIGEST' }).click()
    const text = page.getByLabel('Definition of F_SAMPLE_DIGEST')
    const before = await text.inputValue()
    await text.fill(before.replace('P_ARTICLE_DIGEST', 'P_ARTICLE_DIGESTS'))
    await page.getByText(/P_ARTICLE_DIGESTS does not exist/).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await text.fill(before.replace('"enabled": true', '"enabled": false'))
    await page.getByText('No mistakes.').waitFor()
    await page.getByRole('button', { name: 'Dry run' }).click()
    await region('Dry run').getByText('would be delivered').first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('switched off').first().waitFor()
  })

  test('find runs by their error, and run several again', async () => {
    await openPage(page, `${daemon.address}/flows?tab=runs`)
    await page.getByRole('combobox', { name: 'Started' }).selectOption('in the last 24 hours')
    await page.waitForURL(/hours=24/)
    await page.getByLabel('Search runs').fill('no level')
    const table = page.getByRole('table', { name: 'Runs' })
    await table.getByRole('row', { name: /A_SUMMARIZE/ }).waitFor({ state: 'detached' })
    await table
      .getByRole('checkbox', { name: /^Select P_TIDE_REPORT/ })
      .first()
      .check()
    await page.getByRole('button', { name: 'Rerun 1' }).click()
    await page.getByText('1 run started again.').waitFor()
    await page.getByLabel('Search runs').fill('')
    await table.getByRole('button', { name: 'Took' }).click()
    await table
      .getByRole('columnheader', { name: 'Took' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor()
  })

  test('change a setting with its explanation; what is not valid is refused', async () => {
    await openPage(page, `${daemon.address}/settings?section=usage`)
    await page.getByRole('button', { name: 'Edit as JSON: usage.budgets' }).click()
    const field = page.getByLabel('Budgets', { exact: true })
    await field.fill('[{ "usd": -1 }]')
    await page.getByRole('button', { name: 'Save usage.budgets' }).click()
    await page.getByRole('alert').filter({ hasText: 'usd' }).waitFor()
    await field.fill('[{ "usd": 20 }]')
    await page.getByRole('button', { name: 'Save usage.budgets' }).click()
    await page.getByText('usage.budgets is saved.').waitFor()
    const limits = async () => {
      const { budgets } = await clientOf(daemon).call('getUsage', { query: {} })
      return budgets.map(({ usd }) => usd)
    }
    await expect.poll(limits).toEqual([20])
    // The refused change is a valid answer, but browsers log it.
    const isRefused = (text: string) => text.includes('400') && text.includes('/api/settings')
    expect(complaints.splice(0).filter((text) => !isRefused(text))).toEqual([])
  })

  test('the palette finds things of the person, by synonyms, and remembers them', async () => {
    await begin()
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    const first = () => palette.getByRole('option').first().textContent()
    const tryWords = async (words: string, wanted: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(words)
      await palette.getByRole('option', { name: wanted }).first().waitFor()
      await page.keyboard.press('Escape')
    }
    await tryWords('cost', /Usage and cost/)
    await tryWords('queue', /^Queue/)
    await tryWords('failed', /Failed tool calls/)
    await tryWords('dark', /dark theme/)
    await tryWords('doctor', /Health/)
    await tryWords('rerun', /Runs/)
    await tryWords('P_TIDE', /P_TIDE_REPORT/)
    await tryWords('onboarding mail', /Design the onboarding mail/)
    await tryWords('force', /Rule/)
    await tryWords('quiet hours', /^Notifications: Quiet hours/)
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('volume')
    await palette.getByRole('option', { name: /^Voice: Volume/ }).click()
    await page.getByRole('spinbutton', { name: 'Volume' }).waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('onboarding mail')
    await palette.getByRole('option', { name: /Design the onboarding mail/ }).click()
    await page.getByRole('heading', { level: 1, name: /^Design the onboarding mail/ }).waitFor()
    await page.keyboard.press('Control+k')
    await expect.poll(first).toContain('Design the onboarding mail')
    await page.keyboard.press('Escape')
    expect(complaints).toEqual([])
  })
})
