import { createECDH, randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { lookAt } from './look-at.ts'
import { clientOf } from './play-day.ts'
import type { Scene } from './scene.ts'
import { goInApp } from './watch-page.ts'

interface Opening {
  /** The page on which it can be opened; creates the data that it needs. */
  path: (scene: Scene) => string | Promise<string>
  /** Runs on the page before the dialog opens. */
  prepare?: (page: Page) => Promise<void>
  /** The element that has the focus before and after. */
  opener: (page: Page) => Locator
  /** The key that opens it from there; Enter by default. */
  key?: string
  /** Runs after it is closed. */
  tidy?: (page: Page, scene: Scene) => Promise<void>
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true })
const note = () => '/knowledge/Ideas/exactly-once'
const leave = button('Leave without saving')
const openDialog = (page: Page) => page.locator('dialog[open]')

/** Every dialog component and how to open it. */
export const DIALOGS: Readonly<Record<string, Opening>> = {
  'pages/assistant/TaskHistory.svelte': { path: () => '/assistant', opener: button('History') },
  'pages/doctor/Installation.svelte': {
    path: ({ cli }) => {
      const file = join(cli.home, '.env')
      writeFileSync(file, 'TIDES=high\n')
      chmodSync(file, 0o644)
      return '/doctor'
    },
    opener: button('Repair env file'),
    tidy: async (_page, { cli }) => chmodSync(join(cli.home, '.env'), 0o600),
  },
  'pages/events/EventDetail.svelte': {
    path: () => '/events',
    opener: (page) => page.getByRole('region', { name: 'Events' }).getByRole('button').first(),
  },
  'pages/flows/CancelRun.svelte': {
    path: async ({ daemon }) => {
      const { id } = await clientOf(daemon).call('startRun', { body: { name: 'A_WATCH_GAUGE' } })
      return `/flows/runs/${id}`
    },
    opener: button('Cancel run'),
    tidy: async (page) => {
      await button('Cancel run')(page).press('Enter')
      await button('Cancel the run')(page).press('Enter')
      await page.getByText('cancelled', { exact: true }).first().waitFor()
    },
  },
  'pages/hosted/SessionActions.svelte': {
    path: ({ hostedSession }) => `/hosted/${hostedSession}`,
    opener: button('Archive'),
  },
  'pages/knowledge/NewNote.svelte': { path: () => '/knowledge', opener: button('New note') },
  'pages/knowledge/NoteView.svelte': { path: note, opener: button('Remove') },
  'pages/settings/Connections.svelte': {
    path: () => '/settings',
    opener: button('Connect Claude Code'),
  },
  'pages/speech/Devices.svelte': {
    path: async ({ daemon }) => {
      const client = clientOf(daemon)
      const { devices } = await client.call('listAnswerDevices')
      if (devices.length === 0) {
        const keys = createECDH('prime256v1')
        const subscription = {
          // Nothing listens there.
          endpoint: 'http://127.0.0.1:9/push',
          keys: {
            p256dh: keys.generateKeys('base64url'),
            auth: randomBytes(16).toString('base64url'),
          },
        }
        await client.call('subscribeAnswerDevice', { body: { name: 'browser', subscription } })
      }
      return '/speech'
    },
    opener: (page) => page.getByRole('button', { name: 'Revoke', exact: true }).first(),
  },
  'pages/today/Tour.svelte': { path: () => '/today', opener: button('Take the tour') },
  'shell/CommandPalette.svelte': {
    path: () => '/nowhere',
    opener: (page) => page.getByRole('button', { name: 'Search or run a command' }),
  },
  'shell/LeaveQuestion.svelte': {
    path: () => `${note()}?edit=yes`,
    prepare: (page) => page.getByLabel('Markdown of the note').fill('Not to be kept.'),
    opener: leave,
    tidy: async (page) => {
      await leave(page).press('Enter')
      await openDialog(page).getByRole('button', { name: 'Leave without saving' }).press('Enter')
      await button('Edit')(page).waitFor()
    },
  },
  'shell/ShortcutsHelp.svelte': {
    path: () => '/nowhere',
    opener: (page) => page.getByRole('link', { name: 'Insights' }),
    key: '?',
  },
}

/** Finds problems of a dialog, from the key that opens it to the focus after it closes. */
export const tryDialog = async (
  page: Page,
  { path, prepare, opener, key = 'Enter', tidy }: Opening,
  scene: Scene,
): Promise<string[]> => {
  await goInApp(page, await path(scene))
  await prepare?.(page)
  const from = opener(page)
  await from.press(key)
  await openDialog(page).waitFor()
  const found = await lookAt(page, 'dialog[open]')
  await page.keyboard.press('Escape')
  // The app learns that it is closed a moment after the browser closed it.
  await page.waitForFunction(() => document.querySelector('dialog[open], dialog h2') === null)
  const isBack = await from.evaluate((element) => element === document.activeElement)
  if (!isBack) found.push('the focus is not where it was before')
  await tidy?.(page, scene)
  return found
}
