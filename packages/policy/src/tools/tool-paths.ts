import type { PathAccess } from '@steward/contract'

/** How a tool of a host assistant uses a path that it is given. */
interface ToolPath {
  fields: readonly string[]
  access: PathAccess
  recursive?: boolean
}

const FILE = ['file_path', 'path', 'filePath', 'absolute_path', 'target_file', 'filename']
const WRITES: ToolPath = { fields: FILE, access: 'write' }
const READS: ToolPath = { fields: FILE, access: 'read' }
const SEARCHES: ToolPath = {
  fields: ['path', 'dir_path', 'directory', 'include'],
  access: 'read',
  recursive: true,
}

/** Tools by name, in the spelling of each host. */
export const TOOL_PATHS: Readonly<Record<string, readonly ToolPath[]>> = {
  Read: [READS],
  read: [READS],
  read_file: [READS],
  read_many_files: [{ fields: ['paths', 'include'], access: 'read' }],
  NotebookRead: [{ fields: ['notebook_path'], access: 'read' }],
  LS: [{ fields: ['path', 'dir_path'], access: 'read' }],
  list: [{ fields: ['path'], access: 'read' }],
  list_directory: [{ fields: ['path', 'dir_path'], access: 'read' }],
  Glob: [SEARCHES],
  glob: [SEARCHES],
  Grep: [SEARCHES],
  grep: [SEARCHES],
  search_file_content: [SEARCHES],
  grep_search: [SEARCHES],
  Write: [WRITES],
  write: [WRITES],
  write_file: [WRITES],
  Edit: [WRITES],
  edit: [WRITES],
  edit_file: [WRITES],
  replace: [WRITES],
  MultiEdit: [WRITES],
  multiedit: [WRITES],
  patch: [WRITES],
  NotebookEdit: [{ fields: ['notebook_path'], access: 'write' }],
  delete_file: [{ fields: FILE, access: 'delete' }],
  Delete: [{ fields: FILE, access: 'delete' }],
}

/** Tools whose input is a command line, and the field that holds it. */
export const SHELL_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  bash: ['command'],
  Shell: ['command'],
  shell: ['command'],
  run_shell_command: ['command'],
  exec_command: ['cmd', 'command'],
  local_shell: ['command'],
  run_terminal_cmd: ['command'],
  Monitor: ['command'],
}
