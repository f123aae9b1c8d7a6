import { appendFileSync, chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@steward/contract'
import { eventLogPath } from '@steward/platform'
import { findFreePorts } from '@steward/platform/testing'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, createCli, writeAction } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { findComponents } from './app-source.ts'
import { DIALOGS, tryDialog } from './dialogs.ts'
import { findMissingCommands } from './find-missing-commands.ts'
import { findSmallTargets } from './find-small-targets.ts'
import { ALL_RULES, COLOUR_RULES, findViolations } from './find-violations.ts'
import { writeHostedDay } from './hosted-day.ts'
import { loadPages } from './load-pages.ts'
import { DESKTOP, lookAt, PHONE, WIDE } from './look-at.ts'
import { openPagePool, type PagePool } from './page-pool.ts'
import { createPastHooks } from './past-hooks.ts'
import {
  clientOf,
  mendScriptedAction,
  playScriptedDay,
  REFUSED_COMMAND,
  refuse,
  switchHostedOn,
  writeScriptedDefinitions,
} from './play-day.ts'
import type { Scene } from './scene.ts'
import { writeScriptedDay } from './scripted-day.ts'
import { standInForNotifications } from './stand-in-notifications.ts'
import { standInForVisibility } from './stand-in-visibility.ts'
import { writeStartedSessions } from './started-sessions.ts'
import { takePictures } from './take-pictures.ts'
import { stay, tryToLose, WRITINGS } from './unsaved-words.ts'
import { VIEWS } from './views.ts'
import { readTabs, walkPage } from './walk-page.ts'
import { openPage, settle, type Watch, watchPage } from './watch-page.ts'
import { watchShifts } from './watch-shifts.ts'

const missing = findMissingBrowser()
if (missing !== undefined) console.warn(`skipped: ${missing}`)

/** Runs until it is stopped. */
const WATCH_GAUGE = `export const execute = (_input, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
`
const FAILING = `export const execute = () => {
  throw new Error('the gauge hung up')
}
`
/** A tool call at the current time. */
const callTool = (cli: Cli, id: string, command: string): Promise<void> =>
  createPastHooks(cli.home, Date.now()).fire(0, {
    session_id: 'a3d42f11-queue',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
  })
const TABS = /<Tabs[\s>]/
const MOST_FIRST_LOAD_BYTES = 120 * 1024
/** The browser's limit per server, shared by all tabs. */
const MOST_CONNECTIONS = 6

describe.skipIf(missing !== undefined)('the dashboard, in a real browser', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let context: BrowserContext
  let page: Page
  let watch: Watch

  const startDaemon = (port: number) =>
    startDaemonProcess(cli, { args: ['--port', String(port)], env: { PATH: '/nowhere' } })
  const signIn = async (tab = page) => {
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await tab.goto(`${daemon.address}/auth?code=${code}`)
    await settle(tab)
  }
  /** Opens a separate browser for the same person, with animations disabled. */
  const openSignedIn = async (viewport = DESKTOP) =>
    browser.newContext({
      storageState: await context.storageState(),
      viewport,
      reducedMotion: 'reduce',
    })
  const open = (path: string) => openPage(page, `${daemon.address}${path}`)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })

  beforeAll(async () => {
    cli = createCli()
    writeScriptedDefinitions(cli)
    writeAction(cli, 'A_WATCH_GAUGE', WATCH_GAUGE)
    daemon = await startDaemon(await findFreePorts(1))
    browser = await openBrowser()
    context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    page = await context.newPage()
    watch = watchPage(page, daemon.address)
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    cli.remove()
  })

  beforeEach(() => {
    watch.complaints.length = 0
  })

  test('no page, tab, dialog or form is missing from the tests below', () => {
    const views = Object.keys(VIEWS).sort()
    expect(findComponents(/<Page[\s>]/)).toEqual(['App.svelte', ...views])
    expect(views).toEqual(expect.arrayContaining(findComponents(TABS)))
    expect(findComponents(/<(dialog|Dialog|Confirm)[\s>]/)).toEqual(Object.keys(DIALOGS).sort())
    expect(findComponents(/keepUnsaved\(/)).toEqual(Object.keys(WRITINGS).sort())
  })

  test('from the first start to the first result of a run', async () => {
    await signIn()
    await page.getByText('Connect your assistant').waitFor()
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('tab', { name: 'Actions' }).click()
    await page.getByRole('link', { name: 'A_SUMMARIZE', exact: true }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('alert').filter({ hasText: 'content' }).waitFor()
    await page
      .getByLabel('content string')
      .fill('The surge reached 612 centimetres. The dikes held.')
    await page.getByRole('button', { name: 'Run now' }).click()
    await heading('Run of A_SUMMARIZE').waitFor()
    await page.getByText('completed', { exact: true }).first().waitFor()
    await page.getByText('The surge reached 612 centimetres').last().waitFor()
    expect(watch.complaints).toEqual([])
  })

  describe('on a day of work', () => {
    let failedRun: string
    let hostedSession: string
    let started: Scene['started']
    const scene = (): Scene => ({ cli, daemon, failedRun, hostedSession, started })

    beforeAll(async () => {
      await page.goto('about:blank')
      const { port } = daemon
      await daemon.stop()
      await writeScriptedDay(cli.home, Date.now())
      hostedSession = await writeHostedDay(cli.home, Date.now())
      started = await writeStartedSessions(cli.home, Date.now())
      switchHostedOn(cli)
      daemon = await startDaemon(port)
      failedRun = (await playScriptedDay(daemon)).failedRun
      await signIn()
    })

    // Writes files and asserts nothing, so it does not count as a skipped test elsewhere.
    if (process.env.STEWARD_PICTURES === 'yes')
      test('pictures for the docs', async () => {
        await takePictures(page, daemon.address, cli.home)
      })

    test('from a failed run to its rerun from the failed step', async () => {
      await open('/flows?tab=runs')
      await page.getByRole('link', { name: /^P_TIDE_REPORT/ }).click()
      await heading('Run of P_TIDE_REPORT').waitFor()
      expect(page.url()).toContain(failedRun)
      await page.getByText('no level in the report', { exact: false }).first().waitFor()
      mendScriptedAction(cli)
      await page.getByRole('button', { name: 'Rerun from step 2', exact: true }).click()
      await page.getByText('Repeats').waitFor()
      await page.getByText('completed', { exact: true }).first().waitFor()
      await page.getByText('kept', { exact: true }).waitFor()
      expect(page.url()).not.toContain(failedRun)
      expect(watch.complaints).toEqual([])
    })

    test('from a refused command to its rule, and a change of that rule', async () => {
      await open('/security?tab=events')
      const refused = page.getByRole('article', { name: `blocked: ${REFUSED_COMMAND}` })
      await refused.getByRole('link', { name: /^Show the rule/ }).click()
      const rule = page.locator('[aria-current=true]').filter({ hasText: 'this rule' })
      await rule.getByRole('button', { name: /^Edit/ }).click()
      await page.getByLabel('Reason').fill('Ada formats disks herself')
      await page.getByRole('tab', { name: 'Events' }).click()
      await stay(page)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.locator('main').getByText('Ada formats disks herself').first().waitFor()
      await page.getByRole('button', { name: /^Undo/ }).waitFor()
      expect(JSON.stringify(await refuse(daemon))).toContain('Ada formats disks herself')
      expect(watch.complaints).toEqual([])
    })

    test('two tabs on one note: the second shows both versions, and neither loses a word', async () => {
      const address = `${daemon.address}/knowledge/Ideas/exactly-once?edit=yes`
      await openPage(page, address)
      const other = await context.newPage()
      const otherWatch = watchPage(other, daemon.address)
      await openPage(other, `${daemon.address}/knowledge`)
      await other.getByRole('link', { name: 'Exactly once' }).first().click()
      await other.getByRole('button', { name: 'Edit' }).click()
      const text = (tab: Page) => tab.getByLabel('Markdown of the note')
      const before = await text(page).inputValue()
      await text(page).fill(`${before}\nWritten in the first tab.\n`)
      await text(other).fill(`${before}\nWritten in the second tab.\n`)
      await other.getByRole('button', { name: 'Leave without saving' }).click()
      await stay(other)
      await other.getByRole('link', { name: 'Sessions' }).click()
      await stay(other)
      await other.goBack()
      await stay(other)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Written in the first tab.').waitFor()
      await other.getByText('This note was changed elsewhere', { exact: false }).waitFor()
      await other.getByRole('button', { name: 'Save', exact: true }).click()
      await other.getByText('Someone saved this note in between').waitFor()
      expect(await other.getByLabel('Theirs').inputValue()).toContain('Written in the first tab.')
      const yours = other.getByLabel('Yours')
      expect(await yours.inputValue()).toContain('Written in the second tab.')
      await yours.fill(`${before}\nWritten in the first tab.\nWritten in the second tab.\n`)
      await other.getByRole('button', { name: 'Go on with mine' }).click()
      await other.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Written in the second tab.').waitFor()
      await page.getByText('Written in the first tab.').waitFor()
      await other.close()
      // Both tabs get a conflict: a refused save is a valid response, but browsers log it.
      const isRefusedSave = (text: string) => text.includes('412') && text.includes('exactly-once')
      expect(otherWatch.complaints.filter((text) => !isRefusedSave(text))).toEqual([])
      expect(watch.complaints).toEqual([])
    })

    test('an endless run: it can be cancelled, and its page shows that', async () => {
      const { id } = await clientOf(daemon).call('startRun', { body: { name: 'A_WATCH_GAUGE' } })
      await open(`/flows/runs/${id}`)
      await page.getByText('running', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'Cancel run' }).click()
      await page.getByRole('button', { name: 'Cancel the run' }).click()
      await page.getByText('cancelled', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'Rerun from step 1', exact: true }).waitFor()
      expect(await clientOf(daemon).call('getRun', { params: { id } })).toMatchObject({
        status: 'cancelled',
        steps: [{ status: 'cancelled' }],
      })
      expect(watch.complaints).toEqual([])
    })

    test('an agent that asks for permission: it continues after a refusal with a message', async () => {
      const getHosted = () => clientOf(daemon).call('getHosted', { query: {} })
      await expect.poll(async () => (await getHosted()).state, { timeout: 15_000 }).toBe('on')
      await open('/today')
      await page.getByRole('link', { name: 'Fill the gaps of the gauge' }).click()
      await page.getByText('NO ISOLATION').waitFor()
      const asking = page.getByRole('region', { name: 'bash waits' })
      await asking.getByText('git push origin fill-norderney').waitFor()
      expect(await lookAt(page, '[aria-label="bash waits"]')).toEqual([])
      await asking.getByLabel('Reason (sent to the agent)').fill('Ada pushes herself')
      await asking.getByRole('button', { name: 'Deny' }).click()
      const log = page.getByRole('list', { name: 'Timeline' })
      await log.getByText('Ada pushes herself').first().waitFor()
      await log.getByText('Idle: its turn is done').waitFor()
      await page.getByLabel('Message to Tide keeper').fill('Say it again.')
      await page.getByRole('button', { name: 'Send' }).click()
      await log.getByText('Idle: its turn is done').nth(1).waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('sessions are searched and filtered by the daemon, and nothing is hidden', async () => {
      await open('/sessions')
      const list = page.getByRole('list', { name: 'Sessions' })
      await list.getByRole('link', { name: /^Design the onboarding mail/ }).waitFor()
      await list.getByRole('link', { name: 'The handbook in Low German' }).waitFor()
      await page.getByRole('searchbox', { name: 'Search sessions' }).fill('NORDERNEY report')
      await list
        .getByRole('link', { name: /^Design the onboarding/ })
        .waitFor({ state: 'detached' })
      await list.getByRole('link', { name: /^Why does the gauge at Norderney/ }).waitFor()
      await page.getByRole('searchbox', { name: 'Search sessions' }).fill('')
      await list.getByRole('link', { name: /^Design the onboarding mail/ }).waitFor()
      await page.getByRole('combobox', { name: 'Assistant' }).selectOption('codex')
      await list.getByRole('link', { name: /^Why does the gauge/ }).waitFor({ state: 'detached' })
      await expect.poll(() => list.getByRole('link').count()).toBe(1)
      await open('/sessions?group=running')
      await list.getByRole('link', { name: /^Migrate the alert sender/ }).waitFor()
      expect(await list.getByRole('link', { name: /^Build a morning digest/ }).count()).toBe(0)
      await open('/agents?tab=history')
      await heading('Sessions').waitFor()
      await open('/agents?tab=usage')
      await heading('Usage and cost').waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('from a recurring failure to its remedy, its session and its runs', async () => {
      writeAction(cli, 'A_CALL_GAUGE', FAILING)
      const run = { query: { wait: 30 }, body: { name: 'A_CALL_GAUGE' } }
      for (let count = 0; count < 2; count++) await clientOf(daemon).call('startRun', run)
      await open('/recurring')
      const causes = page.getByRole('list', { name: 'Recurring failures' }).getByRole('listitem')
      const action = causes.filter({ hasText: 'the gauge hung up' })
      await action.getByText('rerun from that step', { exact: false }).waitFor()
      await action.getByRole('img', { name: /^By day since/ }).waitFor()
      const tool = causes.filter({ hasText: 'ENOENT: no such file or directory' })
      await tool.getByText('3 times').waitFor()
      await tool.getByRole('link', { name: /^Last session/ }).click()
      await heading(
        'Migrate the alert sender from cron to the queue; no alert may be lost',
      ).waitFor()
      await page.goBack()
      await action.getByRole('link', { name: /^Last run/ }).click()
      await heading('Run of A_CALL_GAUGE').waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('an experiment with its hypothesis and its result, and a comparison of assistants', async () => {
      await open('/ladder')
      const experiments = page.getByRole('list', { name: 'Experiments' }).locator('> li')
      const measured = experiments.filter({ hasText: 'Twelve harbours' })
      await measured.getByText('Half of the mails are opened').waitFor()
      await measured.getByText('61 % instead of 34 %').waitFor()
      await measured.getByRole('link', { name: 'Harbour masters do not read long mails' }).click()
      await page.getByRole('button', { name: /^Twelve harbours/, pressed: true }).waitFor()
      const compared = page.getByRole('list', { name: 'Comparisons' })
      await compared.getByText('check failed').waitFor()
      await compared.getByRole('link', { name: /^Update the dependencies/ }).click()
      await heading('Comparison').waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('a list of budgets is edited as a form, by keyboard, with errors at the fields', async () => {
      await open('/settings?section=usage')
      const budgets = page.locator('[id="setting-usage.budgets"]')
      const readBudgets = async () => {
        const { set } = await clientOf(daemon).call('getSettings')
        return isJsonObject(set.usage) ? set.usage.budgets : undefined
      }
      const press = (name: string) => budgets.getByRole('button', { name }).press('Enter')
      await press('Add to Budgets')
      const limit = budgets.getByLabel('Usd, required')
      expect(await limit.evaluate((it) => it.matches(':focus'))).toBe(true)
      await press('Save usage.budgets')
      await budgets.getByText('Enter a value.').waitFor()
      expect(await limit.getAttribute('aria-invalid')).toBe('true')
      expect(await limit.evaluate((it) => it.matches(':focus'))).toBe(true)
      await page.keyboard.type('5')
      await budgets.getByText('Enter a value.').waitFor({ state: 'detached' })
      await budgets.getByLabel('Per', { exact: true }).selectOption('week')
      await press('Add to Budgets')
      await page.keyboard.type('0.5')
      await budgets.getByRole('switch', { name: 'Stop' }).nth(1).press('Space')
      await press('Move Budgets 2 up')
      await page.getByRole('searchbox', { name: 'Find a setting' }).focus()
      expect(await lookAt(page, '[id="setting-usage.budgets"]')).toEqual([])
      await press('Save usage.budgets')
      await budgets.getByRole('button', { name: 'Reset usage.budgets' }).waitFor()
      const both = [
        { usd: 0.5, stop: true },
        { usd: 5, per: 'week' },
      ]
      expect(await readBudgets()).toEqual(both)
      await press('Remove Budgets 1')
      await press('Edit as JSON: usage.budgets')
      const json = budgets.getByRole('textbox', { name: 'Budgets' })
      expect(JSON.parse(await json.inputValue())).toMatchObject([{ usd: 5, per: 'week' }])
      await json.fill('[{ "usd": 7 }]')
      await press('Edit as JSON: usage.budgets')
      expect(await limit.inputValue()).toBe('7')
      await press('Save usage.budgets')
      await expect.poll(readBudgets).toEqual([{ usd: 7 }])
      await press('Reset usage.budgets')
      await expect.poll(readBudgets).toBeUndefined()
      expect(watch.complaints).toEqual([])
    })

    test('errors that only the daemon finds appear at their fields', async () => {
      await open('/settings?section=wiki')
      const folders = page.locator('[id="setting-wiki.directories"]')
      const press = (name: string) => folders.getByRole('button', { name }).press('Enter')
      await press('Add to Directories')
      await page.keyboard.type('hooks')
      await folders.getByLabel('Value').fill('~/tides')
      await press('Save wiki.directories')
      const field = folders.getByRole('textbox', { name: 'Name', description: /group of the wiki/ })
      await field.waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      await expect.poll(() => field.evaluate((it) => it.matches(':focus'))).toBe(true)
      expect(await folders.getByRole('alert').count()).toBe(0)
      await page.getByRole('searchbox', { name: 'Find a setting' }).focus()
      expect(await lookAt(page, '[id="setting-wiki.directories"]')).toEqual([])
      await folders.getByLabel('Name', { exact: true }).fill('tides')
      await field.waitFor({ state: 'detached' })
      await press('Save wiki.directories')
      await press('Reset wiki.directories')
      await open('/settings?find=voice.volume')
      const volume = page.getByRole('spinbutton', { name: 'Volume' })
      await volume.fill('7')
      await volume.press('Enter')
      await page
        .getByRole('spinbutton', { name: 'Volume', description: /Must be at most 1, found 7\./ })
        .waitFor()
      await page.getByRole('button', { name: 'Discard voice.volume' }).click()
      expect(await volume.getAttribute('aria-invalid')).toBe('false')
      // A refused value is a valid response, but browsers log it.
      const isRefused = (text: string) => text.includes('400') && text.includes('/api/settings')
      expect(watch.complaints.filter((text) => !isRefused(text))).toEqual([])
    })

    test('the chosen theme stays', async () => {
      const own = await openSignedIn()
      const tab = await own.newPage()
      await openPage(tab, `${daemon.address}/settings`)
      const scheme = () => tab.evaluate(() => document.documentElement.style.colorScheme)
      await tab.getByRole('radio', { name: 'Dark' }).check()
      expect(await scheme()).toBe('dark')
      await tab.reload()
      expect(await scheme()).toBe('dark')
      await settle(tab)
      await tab.getByRole('radio', { name: 'As the system' }).check()
      expect(await scheme()).toBe('')
      await own.close()
    })

    test('older events come from the daemon, through the filter', async () => {
      const rows = Array.from({ length: 900 }, (_, number) =>
        JSON.stringify({
          ...{ timestamp: new Date(Date.now() - 9e7 - number * 1000).toISOString() },
          ...{ session_id: 'long-ago', tool_name: `Ancient${number}`, host: 'claude' },
        }),
      )
      appendFileSync(eventLogPath({ root: cli.home }, 'tool-activity'), `${rows.join('\n')}\n`)
      await open('/events?q=tool:ancient')
      await page.getByText('Ancient0', { exact: true }).waitFor()
      const countRows = async () =>
        Number.parseInt((await page.locator('#filter-help').textContent())?.trim() ?? '', 10)
      await expect.poll(countRows).toBeGreaterThanOrEqual(200)
      const before = await countRows()
      expect(before).toBeLessThan(900)
      await page.getByRole('button', { name: 'Load older events' }).click()
      await expect.poll(countRows).toBeGreaterThanOrEqual(before + 100)
      await page.getByLabel('Filter').fill('tool:Ancient899')
      await page.getByText('Ancient899', { exact: true }).waitFor()
      await page.getByText('1 row shown').waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('a session is found by typing, and its events are an address to share', async () => {
      await open('/events')
      const picker = page.getByRole('combobox', { name: 'Session' })
      const list = page.locator('[role=listbox][aria-busy=false]')
      const found = () => list.getByRole('option').allInnerTexts()
      await picker.fill('gauge at norderney')
      await expect.poll(found).toEqual([expect.stringContaining('Why does the gauge at Norderney')])
      // The project and a word of the title.
      await picker.fill('tidewatch norderney')
      await expect.poll(found).toEqual([expect.stringContaining('Why does the gauge at Norderney')])
      await picker.fill('tidewatch')
      await expect.poll(async () => (await found()).length).toBeGreaterThan(3)
      await picker.fill('codex')
      await expect.poll(found).toEqual([expect.stringContaining('Design the onboarding mail')])
      await picker.press('Enter')
      await page.waitForURL(/q=session%3Ac07a91d4-onboarding/)
      const chip = page.getByRole('button', { name: 'Session: Design the onboarding mail' })
      await chip.waitFor()
      await page.reload()
      await chip.click()
      await picker.waitFor()
      expect(new URL(page.url()).search).toBe('')
      expect(watch.complaints).toEqual([])
    })

    test('all failures of a period can be reached, and each page has an address', async () => {
      const rows = Array.from({ length: 250 }, (_, number) =>
        JSON.stringify({
          ...{
            timestamp: new Date(Date.now() - 9e7 - number * 1000).toISOString(),
            host: 'claude',
          },
          ...{ session_id: 'fog', tool_name: number === 249 ? 'Anchor' : 'Sound' },
          ...{ event_type: 'tool_failure', error: `fog ${number}` },
        }),
      )
      appendFileSync(eventLogPath({ root: cli.home }, 'tool-failure'), `${rows.join('\n')}\n`)
      await open('/failures?hours=168')
      await page.getByRole('link', { name: 'Sound', exact: true }).waitFor()
      const first = page.getByRole('link', { name: 'Anchor', exact: true })
      expect(await first.count()).toBe(0)
      await page.getByRole('link', { name: 'Older failures' }).click()
      await page.waitForURL(/kind=calls&before=/)
      await page.getByText('of an assistant, 100 times').waitFor()
      await page.getByRole('link', { name: 'Older failures' }).click()
      await first.waitFor()
      await page.reload()
      await first.waitFor()
      expect(await page.getByRole('link', { name: 'Older failures' }).count()).toBe(0)
      await page.getByRole('link', { name: 'Newest failures of every kind' }).click()
      await page.getByRole('heading', { name: 'Refused' }).waitFor()
      expect(watch.complaints).toEqual([])
    })

    test('problems found by doctor are repaired after an explanation of the changes', async () => {
      const file = join(cli.home, '.env')
      writeFileSync(file, 'TIDES=high\n')
      chmodSync(file, 0o644)
      await open('/doctor')
      await page.getByRole('button', { name: 'Repair env file' }).click()
      await page.getByText('readable and writable only by you', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Repair it' }).click()
      await page.getByText('env file: made it private').waitFor()
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await page.getByRole('button', { name: 'Repair env file' }).waitFor({ state: 'detached' })
      expect(watch.complaints).toEqual([])
    })

    test('notifies about waiting and urgent matters while the page is hidden, once permission is given', async () => {
      const tab = await context.newPage()
      const tabWatch = watchPage(tab, daemon.address)
      const notifications = await standInForNotifications(tab)
      await openPage(tab, `${daemon.address}/speech`)
      const button = tab.getByRole('switch', { name: 'Browser notifications' })
      expect(await notifications.asked()).toBe(0)
      await button.click()
      await tab.getByRole('button', { name: 'Show one' }).waitFor()
      expect(await notifications.asked()).toBe(1)
      const notify = (message: string) =>
        clientOf(daemon).call('notify', { body: { message, kind: 'security' } })
      await notify('seen by someone who looked')
      await tab.getByRole('row').filter({ hasText: 'Security' }).nth(2).waitFor()
      expect(await notifications.shown()).toEqual([])
      const looked = tab.waitForResponse((answer) => answer.url().endsWith('/api/attention'))
      await notifications.hide(true)
      await looked
      await notify('The chain of the log is broken')
      const told = { title: 'Security', body: 'The chain of the log is broken' }
      await expect.poll(notifications.shown).toEqual([told])
      await notifications.hide(false)
      await button.click()
      expect(await button.getAttribute('aria-checked')).toBe('false')
      await tab.close()
      expect(tabWatch.complaints).toEqual([])
    })

    test.concurrent.each([WIDE, DESKTOP, PHONE])(
      'nothing moves or flashes while a page loads, or when its times change, at %o',
      async (size) => {
        const own = await openSignedIn(size)
        const tab = await own.newPage()
        const { complaints } = watchPage(tab, daemon.address)
        const shifts = await watchShifts(tab, `${daemon.address}/nowhere`)
        const found: string[] = []
        // Between a phone and a large screen, tabs and times look like on one of them.
        const isBetween = size === DESKTOP
        const visit = async (path: string) => {
          found.push(...(await shifts.load(path)))
          if (!isBetween) found.push(...(await shifts.passTime(path)))
        }
        for (const path of Object.values(VIEWS).flatMap((pathsOf) => pathsOf(scene()))) {
          await visit(path)
          const [, ...more] = isBetween ? [] : await readTabs(tab)
          for (const id of more) await visit(`${path}?tab=${id}`)
        }
        await own.close()
        expect([...found, ...complaints]).toEqual([])
      },
    )

    test.concurrent.each([
      { size: WIDE, isSignedIn: false },
      { size: DESKTOP, isSignedIn: false },
      { size: PHONE, isSignedIn: false },
      { size: PHONE, isSignedIn: true },
    ])(
      'no browser reports anything while pages load, at $size, signed in: $isSignedIn',
      async ({ size, isSignedIn }) => {
        const own = isSignedIn
          ? await openSignedIn(size)
          : await browser.newContext({ viewport: size, reducedMotion: 'reduce' })
        expect(await loadPages(own, scene())).toEqual([])
        await own.close()
      },
    )

    test('a reactivated tab detects that another tab signed in', async () => {
      const own = await browser.newContext({ reducedMotion: 'reduce' })
      const tab = await own.newPage()
      const { hide } = await standInForVisibility(tab)
      await openPage(tab, `${daemon.address}/assistant`)
      const button = tab.getByRole('button', { name: 'Create task' })
      await expect.poll(() => button.isDisabled()).toBe(true)
      await hide(true)
      await signIn(await own.newPage())
      await hide(false)
      await expect.poll(() => button.isEnabled()).toBe(true)
      await own.close()
    })

    test('background tabs leave the connections to the visible one', async () => {
      const own = await openSignedIn()
      const front = async () => {
        const tab = await own.newPage()
        const visibility = await standInForVisibility(tab)
        await openPage(tab, `${daemon.address}/events`)
        await tab.getByText('Live', { exact: true }).waitFor()
        return { tab, ...visibility }
      }
      const first = await front()
      await first.hide(true)
      for (let count = 0; count < MOST_CONNECTIONS; count++) await (await front()).hide(true)
      // More rows than a single page of the list.
      const rows = Array.from({ length: 300 }, (_, number) =>
        JSON.stringify({
          ...{ timestamp: new Date(Date.now() + number).toISOString(), session_id: 'behind' },
          tool_name: `Behind${number}`,
        }),
      )
      appendFileSync(eventLogPath({ root: cli.home }, 'tool-activity'), `${rows.join('\n')}\n`)
      await first.hide(false)
      await first.tab.getByText('Behind299').waitFor()
      await first.tab.getByLabel('Filter').fill('session:behind')
      await first.tab.getByText('300 rows').waitFor()
      await own.close()
    })

    describe('on a desktop and a phone, in both themes, by keyboard', () => {
      const tabbed = findComponents(TABS)
      let pool: PagePool
      beforeAll(async () => {
        pool = await openPagePool(browser, context, daemon.address, 2)
      })
      afterAll(() => pool.close())

      test.concurrent.each(Object.entries(VIEWS))('the page %s', (file, addresses) =>
        pool.use(async ({ page: own, watch: ownWatch }) => {
          for (const path of addresses(scene())) {
            expect(await walkPage(own, path, tabbed.includes(file)), path).toEqual([])
            expect(await findMissingCommands(own), path).toEqual([])
          }
          expect([...ownWatch.complaints]).toEqual([])
        }),
      )

      test.concurrent.each(Object.entries(DIALOGS))('the dialog %s', (_file, dialog) =>
        pool.use(async ({ page: own, watch: ownWatch }) => {
          expect(await tryDialog(own, dialog, scene())).toEqual([])
          expect([...ownWatch.complaints]).toEqual([])
        }),
      )

      test.concurrent.each(Object.entries(WRITINGS))(
        'unsaved text in %s, when a link is followed and the tab is closed',
        async (_file, writing) => {
          // Tabs of one person share six connections, and here all tabs are visible.
          const own = await openSignedIn()
          const tab = await own.newPage()
          const tabWatch = watchPage(tab, daemon.address)
          await openPage(tab, `${daemon.address}/novelty`)
          expect(await tryToLose(tab, writing, scene())).toEqual([])
          expect(tabWatch.complaints).toEqual([])
          await own.close()
        },
      )

      test('the bars of a phone', () =>
        pool.use(async ({ page: own }) => {
          await own.setViewportSize(PHONE)
          expect(await lookAt(own, 'header.side')).toEqual([])
          await own.setViewportSize(PHONE)
          await own.getByRole('button', { name: 'More' }).press('Enter')
          const more = own.locator('nav.bottom').getByRole('link', { name: 'Experiments' })
          await more.waitFor()
          expect(await findViolations(own, 'nav.bottom', ALL_RULES)).toEqual([])
          await own.emulateMedia({ colorScheme: 'dark' })
          expect(await findViolations(own, 'nav.bottom', COLOUR_RULES)).toEqual([])
          await own.emulateMedia({ colorScheme: 'light' })
          expect(await findSmallTargets(own, 'nav.bottom')).toEqual([])
          await own.keyboard.press('Escape')
          await more.waitFor({ state: 'detached' })
        }))
    })

    test('the first page is small and contains no development code', async () => {
      const fresh = await browser.newContext({ reducedMotion: 'reduce' })
      const first = await fresh.newPage()
      const files: Array<Promise<{ path: string; body: Buffer; bytes: number }>> = []
      const keepBody = (response: Response): void => {
        if (response.request().resourceType() === 'eventsource') return
        const { pathname } = new URL(response.url())
        if (pathname.startsWith('/api/')) return
        files.push(
          (async () => {
            const body = await response.body()
            const { responseBodySize } = await response.request().sizes()
            return { path: pathname, body, bytes: responseBodySize }
          })(),
        )
      }
      first.on('response', keepBody)
      await openPage(first, `${daemon.address}/`)
      first.off('response', keepBody)
      const loaded = await Promise.all(files)
      // The browser is not signed in, and the page says so.
      expect(await findViolations(first, '.side .foot', ALL_RULES)).toEqual([])
      await first.emulateMedia({ colorScheme: 'dark' })
      expect(await findViolations(first, '.side .foot', COLOUR_RULES)).toEqual([])
      await fresh.close()
      expect(loaded.length).toBeGreaterThan(3)
      // As they were sent.
      const sizes = loaded.map(({ path, bytes }) => `${path} ${bytes}`)
      const sum = loaded.reduce((before, { bytes }) => before + bytes, 0)
      expect(sum, sizes.join('\n')).toBeLessThanOrEqual(MOST_FIRST_LOAD_BYTES)
      expect(sum).toBeGreaterThan(MOST_FIRST_LOAD_BYTES / 4)
      // A development build names the source of each part.
      for (const { path, body } of loaded)
        expect(body.includes('packages/dashboard/src'), path).toBe(false)
    })

    describe('by keyboard alone', () => {
      test('the first Tab stop skips the navigation', async () => {
        await open('/agents')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
      })

      test('the palette finds a page by a few letters and runs the actions of a page', async () => {
        await open('/agents')
        await page.keyboard.press('Control+k')
        await page.keyboard.type('novel')
        await page.keyboard.press('Enter')
        await heading('Ratings and signals').waitFor()
        await open('/events')
        await page.keyboard.press('Control+k')
        await page.keyboard.type('failures')
        await page.keyboard.press('Enter')
        await page.waitForURL(/q=source%3Atool-failure/)
        await page.keyboard.press('Control+k')
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      })

      test('g and a letter go to a page; ? lists the keys', async () => {
        await open('/agents')
        await page.keyboard.press('g')
        await page.keyboard.press('x')
        await heading('Experiments').waitFor()
        await page.keyboard.press('g')
        await page.keyboard.press('l')
        await heading('Library').waitFor()
        await page.keyboard.press('g')
        await page.keyboard.press('k')
        await heading('Notes').waitFor()
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keys' }).waitFor()
        await page.keyboard.press('Escape')
      })

      test('keys are shown in the palette and on the links that they replace', async () => {
        await open('/knowledge')
        const hintOf = (name: string) => page.getByRole('link', { name }).getAttribute('title')
        expect([await hintOf('Sessions'), await hintOf('Library')]).toEqual(['g s', 'g l'])
        await page.keyboard.press('Control+k')
        const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')
        await page.keyboard.type('go to notes')
        await options.filter({ hasText: 'Go to Notes' }).getByText('g k').waitFor()
        await page.getByRole('combobox', { name: 'Search or run a command' }).fill('shortcuts')
        await options.filter({ hasText: 'Show the keys' }).getByText('?', { exact: true }).waitFor()
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: 'Keys' }).waitFor()
        await page.keyboard.press('Escape')
      })

      test('arrow keys move between tabs, and the address records the tab', async () => {
        await open('/agents')
        await page.getByRole('tab', { name: 'Structured work' }).focus()
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('ArrowRight')
        await page.getByText('Kill the sender a hundred times').waitFor()
        expect(page.url()).toContain('tab=subagents')
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
          'Subagents',
        )
      })

      test('arrow keys move between events, which are a single Tab stop', async () => {
        await open('/events')
        const list = page.getByRole('region', { name: 'Events, newest first' })
        const focused = () =>
          list.evaluate(({ ownerDocument: { activeElement } }) => activeElement?.textContent)
        const rows = list.getByRole('button')
        await rows.first().waitFor()
        await page.getByLabel('Filter').focus()
        await page.keyboard.press('Tab')
        expect(await focused()).toBe(await rows.first().textContent())
        await page.keyboard.press('ArrowDown')
        expect(await focused()).toBe(await rows.nth(1).textContent())
        await page.keyboard.press('End')
        const last = await focused()
        await page.keyboard.press('ArrowDown')
        expect(await focused()).toBe(last)
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
        expect(await focused()).toBe(last)
        await page.keyboard.press('Shift+Tab')
        expect(await page.getByLabel('Filter').evaluate((it) => it.matches(':focus'))).toBe(true)
        await page.keyboard.press('Tab')
        expect(await focused()).toBe(last)
        await page.keyboard.press('Home')
        const newest = await focused()
        // The list renders only visible rows, and renders its beginning after the focus has moved
        // there.
        await expect.poll(() => rows.first().textContent()).toBe(newest)
      })

      afterEach(() => expect(watch.complaints).toEqual([]))
    })

    test('a daemon that is killed and restarted: the page shows it, continues, and misses nothing', async () => {
      await open('/events')
      const other = await context.newPage()
      const otherWatch = watchPage(other, daemon.address)
      await openPage(other, `${daemon.address}/agents`)
      await page.getByText('Live', { exact: true }).waitFor()
      for (const each of [watch, otherWatch]) each.allowOffline(true)
      const { port } = daemon
      await daemon.kill()
      await page.getByText('The daemon does not answer.', { exact: false }).first().waitFor()
      // The service worker has kept the page.
      await other.reload()
      await other.getByText('The daemon does not answer.', { exact: false }).first().waitFor()
      await callTool(cli, 'away', 'echo while nobody listened')
      daemon = await startDaemon(port)
      await page.getByText('Live', { exact: true }).waitFor()
      for (const each of [watch, otherWatch]) each.allowOffline(false)
      await page.getByText('echo while nobody listened').waitFor()
      await callTool(cli, 'back', 'echo and again')
      await page.getByText('echo and again').waitFor()
      await other.getByText('Live', { exact: true }).waitFor()
      expect(await page.getByText('The daemon does not answer.', { exact: false }).count()).toBe(0)
      await other.close()
      expect([...watch.complaints, ...otherWatch.complaints]).toEqual([])
    })
  })
})
