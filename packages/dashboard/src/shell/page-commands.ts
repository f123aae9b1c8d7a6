import { keysOf, SECTIONS } from '../pages/pages.ts'
import { chooseTheme } from '../ui/theme.ts'
import type { Command } from './commands.svelte.ts'
import { goCommand } from './go-command.ts'

/** Places within pages that people look for by name. */
const PLACES: ReadonlyArray<[href: string, title: string, words: string]> = [
  ['/agents?tab=started', 'Start a session', 'new run assistant task compare worktree'],
  ['/sessions?group=needs', 'Sessions that need you', 'waiting permission question answer allow'],
  ['/sessions?group=running', 'Running sessions', 'active working now'],
  ['/agents?tab=subagents', 'Subagents', 'waterfall lanes agents'],
  ['/events?q=source:tool-failure', 'Failed tool calls', 'errors failures'],
  ['/flows?tab=runs', 'Runs', 'history rerun retry failed cancel'],
  ['/flows?tab=queue', 'Queue', 'dead letters messages retry'],
  ['/flows?tab=actions', 'Actions', 'run blocks'],
  ['/flows?tab=pipelines', 'Pipelines', 'steps'],
  ['/security?tab=try', 'Test a command against the policy', 'try judge guard'],
  ['/security?tab=events', 'Refused commands', 'blocked denied audit log'],
  ['/security?tab=hooks', 'Hooks', 'install connect assistants'],
  ['/security?tab=observers', 'Observers', 'halt lift'],
  ['/wiki/docs/README', 'Help', 'documentation tutorials guides manual reference'],
]

const THEMES = [
  ['dark', 'Use the dark theme'],
  ['light', 'Use the light theme'],
  ['system', "Use the system's theme"],
] as const

/** Commands that are there on every page. */
export const PAGE_COMMANDS: readonly Command[] = [
  ...SECTIONS.flatMap(({ title: section, pages }) =>
    pages.map((page) =>
      goCommand({
        id: page.path,
        title: `Go to ${page.title}`,
        words: `${section} ${page.words}`,
        kind: 'Page',
        keys: keysOf(page),
        href: page.path,
      }),
    ),
  ),
  ...PLACES.map(([href, title, words]) =>
    goCommand({ id: href, title, words, kind: 'Page', href }),
  ),
  ...THEMES.map(([theme, title]) => ({
    id: `theme-${theme}`,
    title,
    words: 'appearance colours settings dark light mode',
    kind: 'Setting',
    run: () => chooseTheme(theme),
  })),
]
