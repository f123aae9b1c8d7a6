import type { Scene } from './scene.ts'

/** Every page component, with addresses that show all its variants. */
export const VIEWS: Readonly<Record<string, (scene: Scene) => readonly string[]>> = {
  'pages/agents/AgentsHome.svelte': () => ['/agents'],
  'pages/agents/ComparisonPage.svelte': ({ started }) => [
    `/agents/comparisons/${started.comparison}`,
  ],
  'pages/agents/StartedSessionPage.svelte': ({ started }) => [
    `/agents/sessions/${started.session}`,
  ],
  'pages/assistant/AssistantPage.svelte': () => ['/assistant'],
  'pages/doctor/DoctorPage.svelte': () => ['/doctor'],
  'pages/events/EventsPage.svelte': () => ['/events'],
  'pages/failures/FailuresPage.svelte': () => ['/failures', '/failures?hours=168'],
  'pages/flows/EntryPage.svelte': () => [
    '/flows/A_SUMMARIZE',
    '/flows/F_SAMPLE_DIGEST',
    '/flows/F_SAMPLE_DIGEST?edit=yes',
    '/flows/P_TIDE_REPORT?edit=yes',
  ],
  'pages/flows/FlowsHome.svelte': () => ['/flows'],
  'pages/flows/RunPage.svelte': ({ failedRun }) => [`/flows/runs/${failedRun}`],
  'pages/hosted/HostedHome.svelte': () => ['/hosted'],
  'pages/hosted/SessionPage.svelte': ({ hostedSession }) => [`/hosted/${hostedSession}`],
  'pages/knowledge/Browse.svelte': () => ['/knowledge'],
  'pages/knowledge/NoteView.svelte': () => [
    '/knowledge/Ideas/exactly-once',
    '/knowledge/Ideas/exactly-once?edit=yes',
  ],
  'pages/ladder/LadderPage.svelte': () => ['/ladder'],
  'pages/novelty/NoveltyPage.svelte': () => ['/novelty'],
  'pages/recurring/RecurringPage.svelte': () => ['/recurring', '/recurring?days=30'],
  'pages/security/SecurityPage.svelte': () => ['/security'],
  'pages/sessions/SessionPage.svelte': () => ['/sessions/a3d42f11-queue'],
  'pages/sessions/SessionsHome.svelte': () => ['/sessions', '/sessions?q=no+such+thing'],
  'pages/settings/SettingsPage.svelte': () => [
    '/settings',
    '/settings?section=notifications',
    '/settings?find=volume',
  ],
  'pages/speech/SpeechPage.svelte': () => ['/speech'],
  'pages/today/TodayPage.svelte': () => ['/today', '/'],
  'pages/usage/UsagePage.svelte': () => [
    '/usage',
    '/usage?days=7&by=model&unit=tokens',
    '/usage?session=a3d42f11-queue',
  ],
  'pages/wiki/Document.svelte': () => ['/wiki/actions/A_SUMMARIZE'],
  'pages/wiki/Index.svelte': () => ['/wiki', '/wiki?q=wattline'],
  'shell/NotFound.svelte': () => ['/nowhere'],
}
