/** The display name of a group; Steward's own documents are under `docs`. */
export const nameOfGroup = (group: string): string =>
  group === 'docs' ? 'Steward' : group.charAt(0).toUpperCase() + group.slice(1)
