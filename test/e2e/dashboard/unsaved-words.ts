import type { Page } from 'playwright-core'
import type { Scene } from './scene.ts'
import { goInApp, settle } from './watch-page.ts'

interface Writing {
  path: (scene: Scene) => string
  /** Clicks from the page to the field. */
  field: (page: Page) => Promise<void>
}

/** Every component with unsaved or unsent text, and how to reach its first field. */
export const WRITINGS: Readonly<Record<string, Writing>> = {
  'pages/agents/NewSession.svelte': {
    path: () => '/agents?tab=started',
    field: (page) => page.getByLabel('Task', { exact: true }).click(),
  },
  'pages/assistant/NewTask.svelte': {
    path: () => '/assistant',
    field: (page) => page.getByLabel('What', { exact: true }).click(),
  },
  'pages/flows/DefinitionEditor.svelte': {
    path: () => '/flows/F_SAMPLE_DIGEST?edit=yes',
    field: (page) => page.getByLabel('Definition of F_SAMPLE_DIGEST').click(),
  },
  'pages/flows/RunForm.svelte': {
    path: () => '/flows/A_SUMMARIZE',
    field: (page) => page.getByLabel('content string').click(),
  },
  'pages/hosted/MessageBox.svelte': {
    path: ({ hostedSession }) => `/hosted/${hostedSession}`,
    field: (page) => page.getByLabel(/^Message to /).click(),
  },
  'pages/knowledge/NoteEditor.svelte': {
    path: () => '/knowledge/Ideas/exactly-once?edit=yes',
    field: (page) => page.getByLabel('Markdown of the note').click(),
  },
  'pages/security/RuleForm.svelte': {
    path: () => '/security',
    field: async (page) => {
      await page
        .getByRole('button', { name: /^Add to/ })
        .first()
        .click()
      await page.getByLabel('Pattern').click()
    },
  },
  'pages/security/RulesTab.svelte': {
    path: () => '/security?tab=rules',
    field: (page) => page.getByLabel('Your rules').click(),
  },
  'pages/settings/SettingRow.svelte': {
    path: () => '/settings?find=daidentity.name',
    field: (page) => page.getByLabel('Name', { exact: true }).click(),
  },
}

const WORDS = 'written and not saved'

/** Expects the confirmation question and answers no. */
export const stay = async (page: Page): Promise<void> => {
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'hidden' })
}

/**
 * Checks what happens to unsaved text when a link is followed, the browser goes back, its tab is
 * closed, and the page reloads.
 */
export const tryToLose = async (
  page: Page,
  { path, field }: Writing,
  scene: Scene,
): Promise<string[]> => {
  const found: string[] = []
  await goInApp(page, path(scene))
  await field(page)
  await page.keyboard.type(WORDS)
  await page.getByRole('link', { name: 'Insights' }).click()
  await stay(page)
  if (!(await askAgainAtOnce(page))) found.push('a second question was not shown')
  await stay(page)
  await page.goBack()
  await stay(page)
  if (!(await countWords(page))) found.push('who stays on the page finds the words gone')
  const [question] = await Promise.all([
    page.waitForEvent('dialog'),
    page.close({ runBeforeUnload: true }),
  ])
  if (question.type() !== 'beforeunload') found.push(`asked a ${question.type()}`)
  await question.dismiss()
  if (!(await countWords(page))) found.push('who stays finds the words gone')
  const [again] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ])
  await Promise.all([page.waitForEvent('load'), again.accept()])
  await settle(page)
  if (await countWords(page)) found.push('who leaves finds the words again')
  page.once('dialog', (more) => {
    found.push('asks though nothing was written')
    void more.accept()
  })
  await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })])
  return found
}

/** Answers the question and follows a link before the browser reports that the dialog closed. */
const askAgainAtOnce = async (page: Page): Promise<boolean> => {
  await page.getByRole('link', { name: 'Insights' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  const link = await page.getByRole('link', { name: 'Insights' }).elementHandle()
  await question.getByRole('button', { name: 'Stay' }).evaluate(async (button, again) => {
    const isOpen = () => document.querySelector('dialog[open]') !== null
    if (button instanceof HTMLElement) button.click()
    // Within one task, so that no event of the browser comes in between.
    for (let turns = 0; turns < 100 && isOpen(); turns++) await Promise.resolve()
    if (again instanceof HTMLElement) again.click()
    await new Promise((resolve) => setTimeout(resolve))
  }, link)
  return question.isVisible()
}

const countWords = (page: Page): Promise<number> =>
  page
    .locator('input, textarea')
    .evaluateAll(
      (fields, words) =>
        fields.filter((each) => 'value' in each && String(each.value).includes(words)).length,
      WORDS,
    )
