import { PAGES } from '../pages/pages.ts'
import { goTo } from '../router/router.svelte.ts'
import type { Command } from './commands.svelte.ts'

/** Commands that go to each page. */
export const PAGE_COMMANDS: readonly Command[] = PAGES.map(({ path, title, group }) => ({
  id: path,
  title: `Go to ${title}`,
  words: group,
  run: () => goTo(path),
}))
