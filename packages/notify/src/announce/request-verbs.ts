/** Spec 2, Announcement rules 2: the kind of a request determines its gerund. */
const REQUEST_KINDS = ['question', 'command', 'investigation', 'research'] as const
export type RequestKind = (typeof REQUEST_KINDS)[number]

/** The gerunds of the spec, by kind. Commands may also use the gerund of their verb. */
export const GERUNDS: Readonly<Record<RequestKind, readonly string[]>> = {
  question: ['Checking', 'Looking up', 'Finding'],
  command: ['Fixing', 'Creating', 'Updating'],
  investigation: ['Investigating', 'Debugging', 'Analyzing'],
  research: ['Researching', 'Exploring', 'Looking into'],
}

export interface RequestVerb {
  kind: RequestKind
  gerund: string
}

/** First verbs of requests, by the gerund that announces them; several words may form one verb. */
const VERBS_BY_GERUND: Readonly<Record<RequestKind, Readonly<Record<string, string>>>> = {
  question: {
    Checking: `check | verify | confirm | validate | double-check | review | make sure | see if |
      see whether`,
    'Looking up': `look up | show | show me | tell me | tell | explain | describe | list | read | summarize |
      summarise`,
    Finding: `find | locate | search for | search | grep | where is | where are | identify | which |
      get | fetch`,
  },
  command: {
    Fixing: 'fix | repair | correct | resolve | patch | solve | unbreak | address',
    Creating: `create | make | write | add | generate | build | implement | design | draft | scaffold |
      develop | architect | set up | compose | introduce | prepare | document`,
    Updating: `update | change | edit | modify | adjust | tweak | improve | refactor | rewrite | extend |
      convert | bump | upgrade | set | configure | replace | simplify | clean up | tidy up |
      tidy | polish | reword | translate`,
    Deploying: 'deploy | ship | roll out',
    Deleting: 'delete | drop | erase',
    Removing: 'remove | uninstall | strip',
    Running: 'run | execute | rerun',
    Starting: 'start | launch | boot',
    Stopping: 'stop | kill | shut down',
    Restarting: 'restart | reboot',
    Installing: 'install',
    Moving: 'move',
    Renaming: 'rename',
    Migrating: 'migrate | port',
    Merging: 'merge | rebase | squash',
    Committing: 'commit',
    Pushing: 'push | publish | release',
    Reverting: 'revert | undo | roll back',
    Sending: 'send | email | mail | post',
    Formatting: 'format | lint',
    Optimizing: 'optimize | optimise | speed up',
    Testing: 'test',
    Copying: 'copy | duplicate | clone',
    Enabling: 'enable | turn on | switch on',
    Disabling: 'disable | turn off | switch off',
    Scheduling: 'schedule',
    Downloading: 'download | pull',
  },
  investigation: {
    Investigating: `investigate | diagnose | figure out | find out why | check why | see why | look at why |
      track down | understand why | get to the bottom of | inspect | examine | audit | trace`,
    Debugging: 'debug | troubleshoot | reproduce | bisect',
    Analyzing: 'analyze | analyse | profile | measure | benchmark | assess | evaluate',
  },
  research: {
    Researching: 'research | study | survey | find out about | read up on | gather information',
    Exploring: 'explore | brainstorm | compare | deep dive into | dig into the literature',
    'Looking into': `look into | learn about | see what is out there | find out what is out there`,
  },
}

/** Each verb with its kind and gerund. */
export const REQUEST_VERBS: ReadonlyMap<string, RequestVerb> = new Map(
  REQUEST_KINDS.flatMap((kind) =>
    Object.entries(VERBS_BY_GERUND[kind]).flatMap(([gerund, verbs]) =>
      verbs.split(/\s*\|\s*/).map((verb): [string, RequestVerb] => [verb, { kind, gerund }]),
    ),
  ),
)

const LONGEST_VERB_WORDS = Math.max(
  ...[...REQUEST_VERBS.keys()].map((verb) => verb.split(' ').length),
)

/** The verb at the start of a text (the longest match) and the rest. */
export const leadingVerb = (text: string): (RequestVerb & { rest: string }) | undefined => {
  const words = text.trim().split(/\s+/)
  for (let count = Math.min(LONGEST_VERB_WORDS, words.length); count > 0; count--) {
    const verb = words.slice(0, count).join(' ').toLowerCase().replace(/[:,]$/, '')
    const found = REQUEST_VERBS.get(verb)
    if (found !== undefined) return { ...found, rest: words.slice(count).join(' ') }
  }
  return undefined
}

/** The kind of a gerund of the spec; undefined for other gerunds. */
export const kindOfGerund = (gerund: string): RequestKind | undefined =>
  REQUEST_KINDS.find((kind) => GERUNDS[kind].includes(gerund))
