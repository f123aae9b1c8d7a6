import type { Page } from 'playwright-core'

/** Actions of the visible page that the palette does not list. Opens and closes the palette. */
export const findMissingCommands = async (page: Page): Promise<string[]> => {
  const labels = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main button')]
      .filter(
        (button) =>
          button.checkVisibility() &&
          !button.matches(':disabled, [role=tab], [data-arrows] *, dialog *'),
      )
      .map((button) =>
        (button.getAttribute('aria-label') ?? button.innerText).replace(/\s+/g, ' ').trim(),
      ),
  )
  await page.keyboard.press('Control+k')
  const list = page.getByRole('listbox', { name: 'Results' })
  await list.waitFor()
  const titles = new Set(await list.locator('.title').allInnerTexts())
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  return [...new Set(labels)].filter((label) => label !== '' && !titles.has(label))
}
