import BookOpen from '@lucide/svelte/icons/book-open'
import ChartColumn from '@lucide/svelte/icons/chart-column'
import House from '@lucide/svelte/icons/house'
import MessagesSquare from '@lucide/svelte/icons/messages-square'
import Settings from '@lucide/svelte/icons/settings'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import Workflow from '@lucide/svelte/icons/workflow'
import type { Component } from 'svelte'

export interface PageEntry {
  /** Its first path segment; the rest belongs to the page. */
  path: string
  title: string
  /** The key that goes there, after `g`. */
  key: string
  /** Other words that people search for. */
  words: string
  /** Loaded on first use. */
  load: () => Promise<{ default: Component }>
}

/** A section of the navigation; its first page is shown first. */
export interface Section {
  title: string
  icon: Component<{ size?: number; 'aria-hidden'?: 'true' }>
  pages: readonly [PageEntry, ...PageEntry[]]
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Today',
    icon: House,
    pages: [
      {
        path: '/today',
        title: 'Today',
        key: 't',
        words: 'home start overview inbox waiting needs you failed errors cost money upcoming',
        load: () => import('./today/TodayPage.svelte'),
      },
      {
        path: '/failures',
        title: 'Failures',
        key: 'f',
        words: 'failed errors problems refused blocked retry causes remedy',
        load: () => import('./failures/FailuresPage.svelte'),
      },
    ],
  },
  {
    title: 'Sessions',
    icon: MessagesSquare,
    pages: [
      {
        path: '/sessions',
        title: 'Sessions',
        key: 's',
        words: 'agents assistants claude codex gemini opencode history conversations chats',
        load: () => import('./sessions/SessionsPage.svelte'),
      },
      {
        path: '/agents',
        title: 'Progress',
        key: 'o',
        words: 'agents structured work phases criteria subagents started comparison',
        load: () => import('./agents/AgentsPage.svelte'),
      },
      {
        path: '/hosted',
        title: 'Background agents',
        key: 'b',
        words: 'hosted sandbox managed',
        load: () => import('./hosted/HostedPage.svelte'),
      },
      {
        path: '/events',
        title: 'Events',
        key: 'e',
        words: 'log tools calls failures raw activity',
        load: () => import('./events/EventsPage.svelte'),
      },
    ],
  },
  {
    title: 'Automations',
    icon: Workflow,
    pages: [
      {
        path: '/flows',
        title: 'Automations',
        key: 'a',
        words: 'flows pipelines actions runs queue schedule cron feeds rerun jobs',
        load: () => import('./flows/FlowsPage.svelte'),
      },
    ],
  },
  {
    title: 'Knowledge',
    icon: BookOpen,
    pages: [
      {
        path: '/knowledge',
        title: 'Notes',
        key: 'k',
        words: 'knowledge memory graph people companies ideas research',
        load: () => import('./knowledge/KnowledgePage.svelte'),
      },
      {
        path: '/wiki',
        title: 'Library',
        key: 'l',
        words: 'wiki documentation help search reference',
        load: () => import('./wiki/WikiPage.svelte'),
      },
    ],
  },
  {
    title: 'Insights',
    icon: ChartColumn,
    pages: [
      {
        path: '/usage',
        title: 'Usage and cost',
        key: 'u',
        words: 'insights cost money tokens budget spend price models projects limits',
        load: () => import('./usage/UsagePage.svelte'),
      },
      {
        path: '/recurring',
        title: 'Recurring failures',
        key: 'i',
        words: 'insights errors repeated causes patterns remedy',
        load: () => import('./recurring/RecurringPage.svelte'),
      },
      {
        path: '/novelty',
        title: 'Ratings and signals',
        key: 'r',
        words: 'novelty insights learning feedback praise corrections',
        load: () => import('./novelty/NoveltyPage.svelte'),
      },
      {
        path: '/ladder',
        title: 'Experiments',
        key: 'x',
        words: 'ladder ideas hypotheses sources',
        load: () => import('./ladder/LadderPage.svelte'),
      },
    ],
  },
  {
    title: 'Security',
    icon: ShieldCheck,
    pages: [
      {
        path: '/security',
        title: 'Security',
        key: 'c',
        words: 'policy rules guards refused blocked denied hooks observers audit permissions',
        load: () => import('./security/SecurityPage.svelte'),
      },
    ],
  },
  {
    title: 'Settings',
    icon: Settings,
    pages: [
      {
        path: '/settings',
        title: 'General',
        key: 'm',
        words: 'settings preferences theme dark light appearance connect assistants budgets',
        load: () => import('./settings/SettingsPage.svelte'),
      },
      {
        path: '/doctor',
        title: 'Health',
        key: 'h',
        words: 'settings doctor repair problems status connect assistants hooks',
        load: () => import('./doctor/DoctorPage.svelte'),
      },
      {
        path: '/speech',
        title: 'Voice and notifications',
        key: 'v',
        words: 'settings speech mute channels devices phone push captions',
        load: () => import('./speech/SpeechPage.svelte'),
      },
      {
        path: '/assistant',
        title: 'Assistant',
        key: 'p',
        words: 'settings personality tasks reminders diary opinions traits',
        load: () => import('./assistant/AssistantPage.svelte'),
      },
    ],
  },
]

export const PAGES: readonly PageEntry[] = SECTIONS.flatMap(({ pages }) => pages)

/** The page of a path; the first page is also at the root. */
export const findPage = (path: string): PageEntry | undefined =>
  path === '/'
    ? PAGES[0]
    : PAGES.find((page) => path === page.path || path.startsWith(`${page.path}/`))

/** The keys that go to a page, as its links and the palette show them. */
export const keysOf = ({ key }: PageEntry): string => `g ${key}`

export const sectionOf = (page: PageEntry | undefined): Section | undefined =>
  SECTIONS.find(({ pages }) => pages.some(({ path }) => path === page?.path))
