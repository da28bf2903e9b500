export const listTags = () => [];
