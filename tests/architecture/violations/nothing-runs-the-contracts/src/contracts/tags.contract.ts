export const tagsContract = () => true;
