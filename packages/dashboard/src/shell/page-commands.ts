import { SECTIONS } from '../pages/pages.ts'
import { goTo } from '../router/router.svelte.ts'
import type { Command } from './commands.svelte.ts'

/** Commands that go to each page. */
export const PAGE_COMMANDS: readonly Command[] = SECTIONS.flatMap(({ title: section, pages }) =>
  pages.map(({ path, title, words, key }) => ({
    id: path,
    title: `Go to ${title}`,
    words: `${section} ${words}`,
    keys: `g ${key}`,
    run: () => goTo(path),
  })),
)
