export const rightsCheck = {};
