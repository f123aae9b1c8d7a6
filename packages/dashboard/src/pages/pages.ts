import Activity from '@lucide/svelte/icons/activity'
import BookOpen from '@lucide/svelte/icons/book-open'
import Bot from '@lucide/svelte/icons/bot'
import Brain from '@lucide/svelte/icons/brain'
import Cloud from '@lucide/svelte/icons/cloud'
import HeartPulse from '@lucide/svelte/icons/heart-pulse'
import Lightbulb from '@lucide/svelte/icons/lightbulb'
import Network from '@lucide/svelte/icons/network'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import Sparkles from '@lucide/svelte/icons/sparkles'
import TrendingUp from '@lucide/svelte/icons/trending-up'
import Volume2 from '@lucide/svelte/icons/volume-2'
import type { Component } from 'svelte'

export interface PageEntry {
  /** Its first path segment; the rest belongs to the page. */
  path: string
  title: string
  group: 'Work' | 'Memory' | 'Safety' | 'Assistant'
  icon: Component<{ size?: number; 'aria-hidden'?: 'true' }>
  /** The key that goes there, after `g`. */
  key: string
  /** Loaded on first use. */
  load: () => Promise<{ default: Component }>
}

export const PAGES: readonly PageEntry[] = [
  {
    path: '/agents',
    title: 'Agents',
    group: 'Work',
    icon: Bot,
    key: 'a',
    load: () => import('./agents/AgentsPage.svelte'),
  },
  {
    path: '/flows',
    title: 'Flows',
    group: 'Work',
    icon: Network,
    key: 'f',
    load: () => import('./flows/FlowsPage.svelte'),
  },
  {
    path: '/events',
    title: 'Events',
    group: 'Work',
    icon: Activity,
    key: 'e',
    load: () => import('./events/EventsPage.svelte'),
  },
  {
    path: '/hosted',
    title: 'Hosted',
    group: 'Work',
    icon: Cloud,
    key: 'o',
    load: () => import('./hosted/HostedPage.svelte'),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    group: 'Memory',
    icon: Brain,
    key: 'k',
    load: () => import('./knowledge/KnowledgePage.svelte'),
  },
  {
    path: '/wiki',
    title: 'Wiki',
    group: 'Memory',
    icon: BookOpen,
    key: 'w',
    load: () => import('./wiki/WikiPage.svelte'),
  },
  {
    path: '/ladder',
    title: 'Ladder',
    group: 'Memory',
    icon: TrendingUp,
    key: 'l',
    load: () => import('./ladder/LadderPage.svelte'),
  },
  {
    path: '/novelty',
    title: 'Novelty',
    group: 'Memory',
    icon: Lightbulb,
    key: 'n',
    load: () => import('./novelty/NoveltyPage.svelte'),
  },
  {
    path: '/security',
    title: 'Security',
    group: 'Safety',
    icon: ShieldCheck,
    key: 's',
    load: () => import('./security/SecurityPage.svelte'),
  },
  {
    path: '/doctor',
    title: 'Health',
    group: 'Safety',
    icon: HeartPulse,
    key: 'h',
    load: () => import('./doctor/DoctorPage.svelte'),
  },
  {
    path: '/assistant',
    title: 'Assistant',
    group: 'Assistant',
    icon: Sparkles,
    key: 'i',
    load: () => import('./assistant/AssistantPage.svelte'),
  },
  {
    path: '/speech',
    title: 'Voice',
    group: 'Assistant',
    icon: Volume2,
    key: 'v',
    load: () => import('./speech/SpeechPage.svelte'),
  },
]

/** The page of a path; the first page is also at the root. */
export const findPage = (path: string): PageEntry | undefined =>
  path === '/'
    ? PAGES[0]
    : PAGES.find((page) => path === page.path || path.startsWith(`${page.path}/`))
