/** Official names of assistants; an unknown one by its id. */
export const nameOfHost = (host: string): string => NAMES[host] ?? host

const NAMES: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  opencode: 'OpenCode',
  hosted: 'Background agent',
}
