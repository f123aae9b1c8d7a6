import type {
  AttentionAnswer,
  HostAnswer,
  HostEvent,
  HostName,
  HostVerdict,
  JsonObject,
} from '@steward/contract'
import type { DriveSpec } from './acp/drive-spec.ts'
import type { HookEntry } from './registration/hook-entry.ts'
import type { HookFormat } from './registration/hook-format.ts'
import type { CheckPorts, Finding } from './report/finding.ts'
import type { AskedHost, HostReport } from './report/host-report.ts'
import type { UsageReader } from './usage/usage-reader.ts'

export interface HostPlace {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** Only for this folder, instead of all of the person's work. */
  project?: string
}

/** Where skills and agents are looked for. */
export interface DefinitionPlace extends Pick<HostPlace, 'env' | 'homedir'> {
  cwd: string | undefined
}

/** How a hook answers the requests of an assistant to its person. */
export interface RequestAnswers {
  /** Its own prompt is not shown while a hook waits. */
  hidesPrompt: boolean
  /** A hook can add a message to a turn that ends. */
  takesReplies: boolean
  render: (event: HostEvent, answer: AttentionAnswer) => HostAnswer
}

/**
 * Everything that Steward knows about one assistant. Shared code reads these fields instead of asking
 * which assistant it has, so that adding one is an entry in `assistants.ts`.
 */
export interface Assistant {
  name: HostName
  /** The names of its command, the preferred one first. */
  commands: readonly string[]
  /** Parses a payload. Never throws; unknown fields stay in `raw`. */
  read: (payload: unknown, event?: string) => HostEvent
  /** Adds to an event what only the assistant's own files say. Never throws. */
  lookUp?: (event: HostEvent) => HostEvent
  answer: (event: HostEvent, verdict: HostVerdict) => HostAnswer
  /** Absent if its requests can be answered only in its terminal. */
  answers?: RequestAnswers
  /**
   * The arguments that continue a session with the text on standard input. Absent if it takes replies
   * only in its terminal.
   */
  resume?: (sessionId: string) => string[]
  /** Whether a payload that does not name its assistant has the form of this one. */
  recognises: (payload: JsonObject) => boolean
  /** Its own names of two events, for payloads that do not name theirs. */
  events: { beforeTool: string; beforePrompt: string }
  subagents: {
    /** Payloads name the agent that makes a call; a call without a name is the main assistant's. */
    areNamed: boolean
    /** Subagents have events for their start and stop. Otherwise only the launching call shows them. */
    haveEvents: boolean
    /** Whether the launching call waits for the agent: always, never, or as the call says. */
    areWaitedFor: 'always' | 'never' | 'as called'
  }
  /** The hooks that are registered with it. */
  hooks: readonly HookEntry[]
  /** The file that it reads its hooks from. */
  file: (place: HostPlace) => string
  /** How hooks are written into that file. */
  format: HookFormat
  /** The folder of its settings, which shows that it is used here. */
  settingsFolder: (place: HostPlace) => string
  /** Files that decide whether its hooks run; `~` is the person's home folder. */
  protectedFiles: readonly string[]
  /** Folders that hold its skills, commands and agents. */
  definitionFolders: (place: DefinitionPlace) => string[]
  /** The folder that holds installed plugins, where it has them. */
  pluginFolder?: (place: DefinitionPlace) => string
  /** The project that its hooks run in, where its environment says so. */
  projectOf?: (env: HostPlace['env']) => string | undefined
  /** Another assistant that runs these hooks too, beside its own. */
  runBy?: (payload: JsonObject) => HostName | undefined
  /** Whether it accepts a terminal sequence that sets the title of its tab. */
  setsTitle?: (env: HostPlace['env']) => boolean
  /** Loaded on demand: the hook program never needs it and must start fast. */
  loadSetup?: () => Promise<AssistantSetup>
  /** How Steward drives it, where it can. */
  loadDrive?: () => Promise<DriveSpec>
  /** Reads its records of tokens and cost, where it keeps any. */
  loadUsage?: () => Promise<UsageReader>
}

/** What else belongs to installing and checking the hooks of an assistant. */
export interface AssistantSetup {
  /** Runs after the hooks in `path` were written; answers with what was done, for the person. */
  afterInstall?: (path: string, place: HostPlace) => Promise<string | undefined>
  afterUninstall?: (place: HostPlace) => Promise<void>
  /** Asks the assistant for what its files do not say. */
  inspect?: (
    report: HostReport & { command: string },
    place: HostPlace,
  ) => Promise<Partial<Pick<AskedHost, 'untrusted' | 'plugins'>>>
  /** Problems that only this assistant can have. */
  findProblems?: (host: AskedHost, ports: CheckPorts) => Finding[]
}
