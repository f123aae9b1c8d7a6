/** What sessions are asked to do, and where. */
interface Producer {
  /** The folder of specifications. */
  specifications?: string
  /** The command line that announces a phase. */
  announce?: string
  /** The folder of the plugin's skills. */
  skills?: string
}

interface PermissionRule {
  toolName: string
  ruleContent: string
}

/**
 * Claude Code's rules for what Steward asks of a session, and for nothing else: writing
 * specifications, announcing phases, reading the skills. `//` begins an absolute path.
 */
export const producerRules = ({ specifications, announce, skills }: Producer): PermissionRule[] => [
  ...(specifications?.startsWith('/')
    ? [{ toolName: 'Edit', ruleContent: `/${specifications}/*/SPEC.md` }]
    : []),
  ...(announce === undefined ? [] : [{ toolName: 'Bash', ruleContent: `${announce}:*` }]),
  ...(skills?.startsWith('/') ? [{ toolName: 'Read', ruleContent: `/${skills}/**` }] : []),
]
